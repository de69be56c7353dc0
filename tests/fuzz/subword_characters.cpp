// subword_encode and subword_decode with models of characters: runs of strings against one string after the other, cut
// into words against whole; and with malformed tables, which may give wrong ids, but no access out of bounds.
#include "kernels/subword_decode.h"
#include "results.h"
#include "subword/build/build_table.h"
#include "subword/build/sections.h"
#include "words.h"

namespace stringops::fuzz {
namespace {

const char* const kParts[] = {"a", "b", " ", "\xE2\x96\x81", "\xC3\xA9", "\xE2\x96\x82", "\xFF", "0", "I", ">"};

// Characters, tokens of bytes, and what merges of drawn pairs of tokens make.
struct Model {
  explicit Model(Input& in) {
    texts.push_back("?");
    for (const char* part : kParts) {
      if (in.below(8) > 0) texts.emplace_back(part);
    }
    if (in.flag()) texts.emplace_back("</w>");
    const bool all = in.flag();
    for (uint32_t byte = 0; byte < 256; ++byte) {
      if (all || in.below(16) == 0) texts.push_back(kernels::byte_token(byte));
    }
    for (int64_t i = in.below(30); i > 0; --i) {
      const auto draw = [&] { return in.below(in.flag() ? 12 : static_cast<int64_t>(texts.size())); };
      const int64_t left = std::min(draw(), static_cast<int64_t>(texts.size()) - 1),
                    right = std::min(draw(), static_cast<int64_t>(texts.size()) - 1);
      const std::string text = texts[static_cast<size_t>(left)] + texts[static_cast<size_t>(right)];
      const auto at = std::find(texts.begin(), texts.end(), text);
      merges.insert(merges.end(), {left, right, at - texts.begin()});
      if (at == texts.end()) texts.push_back(text);
    }
  }

  std::vector<std::string> texts;
  std::vector<int64_t> merges;
};

std::string draw_spec(Input& in) {
  const auto pick = [&](std::initializer_list<const char*> choices) {
    return std::string(choices.begin()[in.below(static_cast<int64_t>(choices.size()))]);
  };
  std::string spec = "subword 1\nmodel bpe\nbytes 0\n";
  spec += pick({"whole 0\n", "whole 0\n", "whole 1\n"}) + pick({"unk 0\n", "unk -1\n"});
  spec += pick({"byte_fallback 0\n", "byte_fallback 1\n"}) + pick({"fuse_unk 0\n", "fuse_unk 1\n"});
  if (in.below(4) == 0) spec += pick({"word_suffix 3c2f773e\n", "word_suffix 61\n", "continuing_prefix 62\n"});
  for (int64_t i = in.below(4); i > 0; --i) {
    spec += pick({"normalize prepend e29681\n", "normalize replace 20 e29681\n", "normalize replace 20 e29681\n",
                  "normalize replace 61 6220\n", "normalize runs blank 2 20\n", "normalize runs whitespace 1 -\n",
                  "normalize strip 1 1\n", "normalize lower\n", "normalize nfc\n", "normalize nfd\n",
                  "normalize nfkd\n", "normalize nfkc\n", "normalize strip_accents\n", "normalize nmt\n"});
  }
  for (int64_t i = in.below(3); i > 0; --i) {
    spec += pick({"split metaspace e29681 always 1\n", "split metaspace e29681 first 0\n",
                  "split metaspace e29681 never 1\n", "split metaspace 61 always 1\n",
                  "split literal 20 merged_with_previous 0\n", "split literal 61 merged_with_next 1\n",
                  "split literal e29681 contiguous 0\n", "split literal 6161 removed 1\n", "split whitespace\n"});
  }
  const char* const added[] = {"20", "61", "4142", "e29681", "c3a9", "0a", "2020", "ff"};
  for (int64_t i = in.below(3); i > 0; --i) {
    spec += "added " + std::to_string(1000 + in.below(9)) + " " + std::to_string(in.below(32)) + " " +
            added[in.below(8)] + "\n";
  }
  spec += pick({"", "decode replace e29681 20\n", "decode metaspace e29681 1\n", "decode suffix 61\n"});
  spec += pick({"", "decode byte_fallback\n", "decode byte_fallback\n"});
  spec += pick({"", "", "decode fuse_replace c3a9 -\n", "decode fuse_replace e29681 2020\n"});
  return spec + pick({"decode join -\n", "decode join 20\n", "decode fuse_strip 20 1\n"});
}

using Ids = std::vector<int64_t>;

// The text of all ids as one row; empty if one is not in the table.
std::string decode(const Bytes& bytes, const Ids& ids) {
  const auto table = subword::open_table(bytes.data(), bytes.size());
  if (!table) return {};
  const int64_t splits[] = {0, static_cast<int64_t>(ids.size())};
  const Exact<int32_t> offsets(2);
  offsets[0] = 0;
  Bytes data;
  const kernels::SubwordDecode in{ids.data(), {splits, 1, splits[1]}, *table, true};
  gives_result(true, [&] {
    kernels::decode_subwords("", kernels::LoopRunner(1, true), in, [&](int64_t num_bytes) {
      check_room(num_bytes);
      data = Bytes(num_bytes);
      return kernels::MapOutput{data.data(), offsets.data()};
    });
  });
  return text_of(data.data(), data.size());
}

FUZZ_TARGET(subword_characters) {
  const Model model(in);
  const std::string spec = draw_spec(in);
  const int64_t tasks = 1 + in.below(3);
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  std::unordered_map<std::string, int64_t> ids;
  const Strings pieces = distinct(model.texts, &ids);
  std::vector<uint8_t> built;
  try {
    built = kernels::build_subword_table("", pieces.span,
                                         {model.merges.data(), static_cast<int64_t>(model.merges.size()) / 3}, spec);
  } catch (const std::invalid_argument&) {
    return;
  }
  const Bytes table(built);
  check_table(in, table, args, tasks, false, decode);
}

}  // namespace
}  // namespace stringops::fuzz
