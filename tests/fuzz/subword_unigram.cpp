// subword_encode with tables of Unigram, of BPE of SentencePiece, and with charsmaps, which may be malformed: against
// encoding one string after the other, whose spans are in order; and with malformed tables, which may give wrong ids,
// but no access out of bounds.
#include <cmath>

#include "driver/testing.h"
#include "fuzz.h"
#include "kernels/subword.h"
#include "subword/build/build.h"
#include "subword/run/text.h"
#include "words.h"

namespace stringops::fuzz {
namespace {

using Ids = std::vector<int64_t>;

constexpr const char* kParts[] = {"a", "b", "ab", " ", "\xE2\x96\x81", "\xC3\xA9", "e", "e\xCC\x81", "1", "\xFF", "<"};

std::vector<std::string> draw_tokens(Input& in) {
  std::vector<std::string> tokens{"?"};
  for (int64_t i = 4 + in.below(40); i > 0; --i) {
    std::string token = in.below(3) == 0 ? "\xE2\x96\x81" : "";
    for (int64_t k = 1 + in.below(4); k > 0; --k) token += kParts[in.below(11)];
    if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
  }
  return tokens;
}

std::string hexed(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    text += "0123456789abcdef"[static_cast<uint8_t>(c) >> 4];
    text += "0123456789abcdef"[static_cast<uint8_t>(c) & 15];
  }
  return text.empty() ? "-" : text;
}

// Rules of single bytes, as darts-clone lays them out, of which some bytes may be changed.
std::string draw_charsmap(Input& in) {
  constexpr uint32_t kRoot = 256, kLeaf = 512;
  std::vector<uint32_t> units(2 * kLeaf);
  units[0] = kRoot << 10;
  for (int64_t i = in.below(8); i > 0; --i) {
    const auto byte = static_cast<uint32_t>(in.below(256));
    units[kRoot ^ byte] = byte | 1 << 8 | (kRoot ^ byte ^ kLeaf) << 10;
  }
  units[kLeaf] = 1u << 31 | static_cast<uint32_t>(in.below(4));
  for (int64_t i = in.below(3); i > 0; --i) units[static_cast<size_t>(in.below(1024))] = in.any<uint32_t>();
  const auto size = static_cast<uint32_t>(in.below(9) == 0 ? in.any<uint32_t>() : units.size() * sizeof(uint32_t));
  std::string blob(reinterpret_cast<const char*>(&size), sizeof(size));
  blob.append(reinterpret_cast<const char*>(units.data()), units.size() * sizeof(uint32_t));
  return blob + std::string(in.flag() ? "a \0" : "\xC3\xA9", in.flag() ? 3 : 2);
}

std::string draw_spec(Input& in, int64_t num_tokens) {
  const auto flag = [&] { return in.flag() ? " 1" : " 0"; };
  const int64_t kind = in.below(3);
  const char* const models[] = {"unigram huggingface", "unigram sentencepiece", "sentencepiece_bpe"};
  std::string spec = std::string("subword 1\nmodel ") + models[kind] + "\nunk 0\nunk_score c0240000000000" +
                     (in.flag() ? "00" : "01") + "\n";
  if (in.flag()) {
    spec += "byte_ids";
    for (int byte = 0; byte < 256; ++byte) {
      spec += " " + std::to_string(byte == 0xC3 && in.flag() ? -1 : byte % num_tokens);
    }
    spec += "\n";
  }
  if (kind > 0 && in.flag()) spec += "frozen 1 2\n";
  if (kind == 2 && in.flag()) spec += "unused 3 4 5\n";
  if (in.flag()) spec += "charsmap " + hexed(draw_charsmap(in)) + "\n";
  if (kind > 0) return spec + "normalize sentencepiece" + flag() + flag() + flag() + flag() + "\n";
  const char* const forms[] = {"nfd", "nfkd", "nfkc", "strip_accents", "nmt"};
  for (int64_t i = in.below(3); i > 0; --i) spec += std::string("normalize ") + forms[in.below(5)] + "\n";
  if (in.flag()) spec += "normalize precompiled\n";
  if (in.flag()) spec += std::string("normalize strip") + flag() + flag() + "\n";
  if (in.flag()) spec += "split whitespace\n";
  const char* const schemes[] = {"always", "first", "never"};
  if (in.flag()) spec += std::string("split metaspace e29681 ") + schemes[in.below(3)] + flag() + "\n";
  const char* const added[] = {"20", "61", "e29681", "c389", "65cc81", "0a"};
  for (int64_t i = in.below(4); i > 0; --i) {
    spec += "added " + std::to_string(1000 + in.below(9)) + " " + std::to_string(in.below(32)) + " " +
            added[in.below(6)] + "\n";
  }
  return spec;
}

// Rows of scores: some equal, some after which SentencePiece begins sums again, some that are not finite.
std::vector<int64_t> draw_scores(Input& in, int64_t num_tokens) {
  const double choices[] = {-1, -2, -2, -3, -4.5, -4e4, 0, 1, 1e300, -HUGE_VAL, HUGE_VAL, NAN};
  std::vector<int64_t> rows;
  for (int64_t id = 0; id < num_tokens; ++id) {
    const double score = choices[in.below(in.below(4) == 0 ? 12 : 6)];
    int64_t bits;
    std::memcpy(&bits, &score, sizeof(bits));
    rows.insert(rows.end(), {id, bits >> 32, static_cast<int64_t>(static_cast<int32_t>(bits))});
  }
  return rows;
}

std::optional<Ids> encode(const Bytes& bytes, const StringSpan& in, int64_t tasks, bool spans) {
  const auto table = subword::open_table(bytes.data(), bytes.size());
  if (!table) return std::nullopt;
  const Exact<int64_t> splits(in.size() + 1);
  Exact<int64_t> ids;
  Exact<int32_t> begins, ends;
  kernels::encode_subwords("", kernels::LoopRunner(tasks, true), in, *table, {false, -1, spans}, [&](int64_t num_ids) {
    ids = Exact<int64_t>(num_ids);
    begins = Exact<int32_t>(spans ? num_ids : 0);
    ends = Exact<int32_t>(spans ? num_ids : 0);
    return kernels::SubwordOutput{ids.data(), splits.data(), spans ? begins.data() : nullptr,
                                  spans ? ends.data() : nullptr};
  });
  REQUIRE(splits[in.size()] == ids.size());
  return ids.copy();
}

FUZZ_TARGET(subword_unigram) {
  std::unordered_map<std::string, int64_t> ids;
  const Strings pieces = distinct(draw_tokens(in), &ids);
  const int64_t num_tokens = pieces.span.size();
  const std::string spec = draw_spec(in, num_tokens);
  const std::vector<int64_t> scores = draw_scores(in, num_tokens);
  const int64_t tasks = 1 + in.below(3);
  const bool spans = in.flag();
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  const Bytes table(kernels::build_subword_table("", pieces.span, {scores.data(), num_tokens}, spec));
  const auto got = same_on_every_tier([&] { return encode(table, args.strings.span, tasks, spans); });
  REQUIRE(got);

  const auto opened = subword::open_table(table.data(), table.size());
  REQUIRE(opened);
  std::vector<uint32_t> want, without_spans;
  args.strings.for_each([&](std::string_view text) {
    std::vector<PackedRange> ranges;
    const Bytes bytes = bytes_of(text);
    const StringView view{bytes.data(), bytes.data() + bytes.size()};
    const size_t before = want.size();
    kernels::SubwordText(*opened, want, &ranges).encode(view);
    kernels::SubwordText(*opened, without_spans, nullptr).encode(view);
    REQUIRE(ranges.size() == want.size() - before);
    for (const PackedRange range : ranges) {
      REQUIRE(0 <= range.begin && range.begin <= range.end && range.end <= bytes.size());
    }
  });
  REQUIRE(want == without_spans);
  REQUIRE(std::equal(want.begin(), want.end(), got->begin(), got->end()));

  Strings victim = args.strings.copy();
  if (in.flag()) victim.damage(in);
  forge(in, table);
  survives_on_every_tier([&] { encode(table, victim.span, tasks, spans); });
}

}  // namespace
}  // namespace stringops::fuzz
