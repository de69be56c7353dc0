// subword_encode with tables of WordPiece: against encoding one string after the other, whose spans are in order; and
// with malformed tables, which may give wrong ids, but no access out of bounds.
#include "subword/build/build_table.h"
#include "words.h"

namespace stringops::fuzz {
namespace {

// Single characters and what follows them, with and without the prefix "#".
std::vector<std::string> draw_tokens(Input& in) {
  static const char* const kParts[] = {"a", "b", "ab",           "c",   "\xC3\xA9", "e", "e\xCC\x81",
                                       "#", ".", "\xE4\xB8\xAD", "\xFF"};
  std::vector<std::string> tokens{"?"};
  for (int64_t i = 4 + in.below(40); i > 0; --i) {
    std::string token = in.flag() ? "#" : "";
    for (int64_t k = 1 + in.below(4); k > 0; --k) token += kParts[in.below(11)];
    if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  }
  return tokens;
}

std::string draw_spec(Input& in) {
  const auto flag = [&] { return in.flag() ? " 1" : " 0"; };
  std::string spec = "subword 1\nmodel wordpiece 23 " + std::to_string(in.flag() ? 100 : in.below(20)) + "\nunk 0\n";
  spec += std::string("normalize bert") + flag() + flag() + flag() + flag() + "\nsplit bert\n";
  const char* const added[] = {"20", "61", "4142", "2c", "c389", "65cc81", "0a", "2320", "e4b8ad"};
  for (int64_t i = in.below(4); i > 0; --i) {
    spec += "added " + std::to_string(1000 + in.below(9)) + " " + std::to_string(in.below(32)) + " " +
            added[in.below(9)] + "\n";
  }
  return spec + (in.flag() ? "decode wordpiece 23 1\n" : "decode bytelevel\n");
}

FUZZ_TARGET(subword_wordpiece) {
  std::unordered_map<std::string, int64_t> ids;
  const Strings pieces = distinct(draw_tokens(in), &ids);
  const std::string spec = draw_spec(in);
  const int64_t tasks = 1 + in.below(3);
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  const Bytes table(kernels::build_subword_table("", pieces.span, {nullptr, 0}, spec));
  check_table(in, table, args, tasks, false, [](const Bytes&, const std::vector<int64_t>&) {});
}

}  // namespace
}  // namespace stringops::fuzz
