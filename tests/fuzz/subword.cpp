// subword_build and subword_encode: against encoding one string after the other; tokens are the bytes of their strings.
// And with malformed tables, which may give wrong ids, but no access out of bounds.
#include "kernels/subword.h"

#include "kernels/subword_single.h"
#include "subword/build/build_table.h"
#include "words.h"

namespace stringops::fuzz {
namespace {

using kernels::SubwordOptions;

// The bytes, and tokens that merges of drawn pairs of tokens make.
struct Tokens {
  explicit Tokens(int64_t count, Input& in) {
    for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
    while (count-- > 0) {
      const int64_t known = static_cast<int64_t>(texts.size());
      const auto draw = [&] { return in.flag() ? in.below(known) : "ab ,'s\xC3\xA9 0\n"[in.below(11)] & 255; };
      const int64_t left = draw(), right = draw();
      const std::string text = texts[static_cast<size_t>(left)] + texts[static_cast<size_t>(right)];
      const auto at = std::find(texts.begin(), texts.end(), text);
      merges.insert(merges.end(), {left, right, at - texts.begin()});
      if (at == texts.end()) texts.push_back(text);
    }
  }

  std::vector<std::string> texts;
  std::vector<int64_t> merges;
};

std::string draw_spec(Input& in, bool* keeps_text) {
  const bool ranks = in.flag();
  std::string spec = "subword 1\nmodel bpe\nbytes 1\n";
  spec += ranks ? "merges ranks\n" : "merges listed\n";
  spec += in.flag() ? "whole 1\n" : "whole 0\n";
  const bool nfc = in.below(4) == 0;
  if (nfc) spec += "normalize nfc\n";
  const char* const splits[] = {
      "",
      "split gpt2\n",
      "split llama3 digits=1 marks=1 newline_tail=0 contractions=1 end=tiktoken\n",
      "split llama3\n",
      "split o200k\n",
      "split o200k digits=1 contractions=0 slash=0\n",
      "split deepseek\n",
      "split digits each=1\nprefix_space 1\nsplit gpt2\n",
      "split digits each=0\nsplit llama3\n",
      // ab|[a-z]+(?!\S)|^\s+?
      "split pattern 61627c5b612d7a5d2b283f215c53297c283f6d3a5e295c732b3f contiguous 1\n",
      "split punctuation merged_with_next\nsplit fixed 3\n",
      "split words\nsplit pattern 5b5e615d isolated 0\n",
  };
  const int64_t split = in.below(12);
  spec += splits[split];
  *keeps_text = !nfc && split != 7 && split != 11;
  const char* const added[] = {"-", "20", "61", "6162", "2c", "c3a9", "65cc81", "0a", "2020", "e2"};
  for (int64_t i = in.below(5); i > 0; --i) {
    spec += "added " + std::to_string(1000 + in.below(9)) + " " + std::to_string(in.below(32)) + " " +
            added[in.below(10)] + "\n";
    *keeps_text = false;  // whitespace may be part of two tokens
  }
  if (in.flag()) spec += "template_single 7 A 8 9\n";
  spec += "decode bytelevel\n";
  if (in.flag()) spec += "warm 61622061 - 20 c3a9e2ff 27736161616161616161616161616161616161616161 0a0a20\n";
  return spec;
}

std::vector<uint32_t> encode_one(SingleEncoder& encoder, std::string_view text) {
  std::copy(text.begin(), text.end(), encoder.reserve(static_cast<int64_t>(text.size())));
  const SingleEncoder::Ids ids = encoder.encode(static_cast<int64_t>(text.size()));
  return {ids.at, ids.at + ids.count};
}

FUZZ_TARGET(subword_encode) {
  const Tokens tokens(in.below(40), in);
  bool keeps_text = true;
  const std::string spec = draw_spec(in, &keeps_text);
  const bool ranks = spec.find("ranks") != spec.npos;
  SubwordOptions options{in.flag(), in.flag() ? -1 : 3 + in.below(20), in.flag()};
  const int64_t tasks = 1 + in.below(3);
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  std::unordered_map<std::string, int64_t> ids;
  const Strings pieces = distinct(tokens.texts, &ids);
  const std::vector<uint8_t> built = kernels::build_subword_table(
      "", pieces.span, {tokens.merges.data(), ranks ? 0 : static_cast<int64_t>(tokens.merges.size()) / 3}, spec);
  const Bytes table(built);
  const StringSpan& span = args.strings.span;
  const auto got = same_on_every_tier([&] { return encode(table, span, options, tasks); });
  REQUIRE(got);

  const auto opened = subword::open_table(table.data(), table.size());
  REQUIRE(opened);
  const int64_t around = options.add_special_tokens ? static_cast<int64_t>(opened->template_ids.size()) : 0;
  const kernels::LoopRunner runner(tasks, true);
  const kernels::SubwordSingle single(*subword::open_table(table.data(), table.size()), runner);
  const auto encoder = single.new_encoder();
  int64_t row = 0;
  args.strings.for_each([&](std::string_view text) {
    std::vector<uint32_t> want;
    std::vector<PackedRange> spans;
    kernels::SubwordText one(*opened, want, options.spans ? &spans : nullptr);
    const Bytes bytes = bytes_of(text);
    one.encode({bytes.data(), bytes.data() + bytes.size()});
    REQUIRE(encode_one(*encoder, text) == want);
    const int64_t begin = got->row_splits[static_cast<size_t>(row)],
                  end = got->row_splits[static_cast<size_t>(row) + 1];
    const auto count = static_cast<int64_t>(want.size());
    const int64_t kept = options.max_length < 0 ? count : std::min(count, options.max_length - around);
    REQUIRE(end - begin == kept + around);
    const int64_t first = begin + (around ? 1 : 0);
    std::string decoded;
    int64_t covered = 0;
    for (int64_t i = 0; i < kept; ++i) {
      const auto at = static_cast<size_t>(first + i);
      const int64_t id = got->ids[at];
      REQUIRE(id == want[static_cast<size_t>(i)]);
      const StringView token = opened->texts[id];
      decoded.append(token.begin, token.end);
      if (!options.spans) continue;
      REQUIRE(0 <= got->begins[at] && got->begins[at] <= got->ends[at] && got->ends[at] <= bytes.size());
      if (!keeps_text) continue;
      // Whole characters.
      const int64_t end_of_token = covered + token.size();
      REQUIRE(got->begins[at] <= covered && end_of_token <= got->ends[at] && got->ends[at] < end_of_token + 4);
      covered = end_of_token;
    }
    if (keeps_text)
      REQUIRE(text.substr(0, decoded.size()) == decoded && (kept < count || decoded.size() == text.size()));
    ++row;
  });

  Strings victim = args.strings.copy();
  if (in.flag()) victim.damage(in);
  forge(in, table);
  survives_on_every_tier([&] { encode(table, victim.span, options, tasks); });
  args.strings.for_each([&](std::string_view text) { encode_one(*encoder, text); });
}

FUZZ_TARGET(subword_build) {
  std::unordered_map<std::string, int64_t> ids;
  const Strings pieces = distinct(Tokens(0, in).texts, &ids);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()));
  const char* const parts[] = {"subword 1\nmodel bpe\n",
                               "bytes 1\n",
                               "split ",
                               "gpt2",
                               "llama3",
                               " digits=",
                               "added ",
                               "1",
                               "2 ",
                               "template_single ",
                               "A ",
                               "decode ",
                               "-",
                               "\n",
                               "text ",
                               "whole ",
                               "61",
                               "pattern ",
                               "fixed "};
  std::string spec = in.flag() ? "subword 1\nmodel bpe\n" : "";
  for (const char c : text) {
    const auto at = static_cast<uint8_t>(c) % 24;
    spec += at < 19 ? std::string(parts[at]) : std::string(1, c);
  }
  std::vector<uint8_t> built;
  try {
    built = kernels::build_subword_table("", pieces.span, {nullptr, 0}, spec);
  } catch (const std::invalid_argument&) {
    return;
  }
  REQUIRE(subword::open_table(built.data(), static_cast<int64_t>(built.size())));
}

}  // namespace
}  // namespace stringops::fuzz
