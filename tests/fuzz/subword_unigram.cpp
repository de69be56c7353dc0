// subword_encode with tables of Unigram, of BPE of SentencePiece, and with charsmaps, which may be malformed: against
// encoding one string after the other, whose spans are in order; and with malformed tables, which may give wrong ids,
// but no access out of bounds.
#include <cmath>

#include "subword/build/build_table.h"
#include "words.h"

namespace stringops::fuzz {
namespace {

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
  check_table(in, table, args, tasks, spans, [](const Bytes&, const std::vector<int64_t>&) {});
}

}  // namespace
}  // namespace stringops::fuzz
