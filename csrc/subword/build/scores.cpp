#include "subword/build/parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/codepoint.h"
#include "core/fail.h"
#include "core/utf8.h"
#include "subword/build/last_merges.h"

namespace stringops::kernels {
namespace {

using namespace subword;

std::vector<double> read_scores(const char* op, const MergeRows& rows, int64_t num_ids) {
  std::vector<double> scores(static_cast<size_t>(num_ids));
  for (int64_t i = 0; i < rows.count; ++i) {
    const int64_t id = rows.numbers[3 * i];
    STRINGOPS_CHECK(id >= 0 && id < num_ids, op, ": expected ids in `numbers` within [0, ", num_ids, "), got ", id,
                    " in row ", i);
    const uint64_t bits = static_cast<uint64_t>(rows.numbers[3 * i + 1]) << 32 |
                          (static_cast<uint64_t>(rows.numbers[3 * i + 2]) & 0xFFFFFFFF);
    std::memcpy(&scores[static_cast<size_t>(id)], &bits, sizeof(bits));
  }
  return scores;
}

// Returns ranks by id, the greatest score first; equal scores have equal ranks.
std::vector<uint32_t> ranks_of(const std::vector<double>& scores) {
  const auto is_greater = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a > b; };
  std::vector<uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return is_greater(scores[a], scores[b]); });
  std::vector<uint32_t> ranks(scores.size());
  uint32_t rank = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    rank += is_greater(scores[order[i - 1]], scores[order[i]]) ? 1 : 0;
    ranks[order[i]] = rank;
  }
  return ranks;
}

// The trie of the pieces of SentencePiece that the user defined.
void add_frozen(const char* op, Sections& sections, const TokenIds& tokens, const Spec& spec) {
  if (spec.frozen.empty()) return;
  std::vector<std::string_view> frozen(tokens.texts.size());
  for (const uint32_t id : spec.frozen) {
    if (id < frozen.size()) frozen[id] = tokens.texts[id];
  }
  sections.add(kFrozenTrie, build_piece_trie(op, frozen));
}

Codepoint character_at(std::string_view text, size_t at) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(text.data());
  return read_codepoint(begin + at, begin + text.size());
}

// The pieces of several characters, from the greatest score down, and those that are BlankRuns.
struct MergedPieces {
  std::vector<uint32_t> sorted;
  std::vector<uint32_t> blank_runs;
};

// Whether the last ones of the sorted pieces are BlankRuns.
bool have_blank_runs(const TokenIds& tokens, const std::vector<double>& scores, const std::vector<uint32_t>& sorted) {
  return std::all_of(sorted.begin(), sorted.end(), [&](uint32_t id) {
    const std::string_view text = tokens.texts[id];
    const bool is_run = text.find_first_not_of(' ') == text.npos, is_last = scores[id] == scores[sorted.back()];
    return is_run == is_last && is_run == (text.find("  ") != text.npos) && text.size() <= BlankRuns::kMaxSize;
  });
}

// Moves those that are BlankRuns from the end of the sorted pieces.
void take_blank_runs(const TokenIds& tokens, MergedPieces& pieces) {
  std::vector<uint32_t>& runs = pieces.blank_runs;
  runs = {kNone, tokens.find(" ")};
  for (; !pieces.sorted.empty(); pieces.sorted.pop_back()) {
    const std::string_view text = tokens.texts[pieces.sorted.back()];
    if (text[0] != ' ' || text[1] != ' ') break;
    runs.resize(std::max(runs.size(), text.size() + 1), kNone);
    runs[text.size()] = pieces.sorted.back();
  }
}

// Nothing if two pieces have the same score, or if a character of a piece is not a piece itself.
std::optional<MergedPieces> merged_pieces(const TokenIds& tokens, const std::vector<double>& scores,
                                          const std::vector<bool>& is_frozen) {
  constexpr size_t kMaxPiece = 4096;  // as merging a piece takes quadratic time
  MergedPieces pieces;
  std::array<bool, 128> is_known{};  // characters of ASCII that are pieces, as far as they were looked up
  std::vector<uint32_t>& sorted = pieces.sorted;
  for (uint32_t id = 0; id < tokens.texts.size(); ++id) {
    const std::string_view text = tokens.texts[id];
    if (is_frozen[id]) continue;
    if (text.size() > kMaxPiece || !std::isfinite(scores[id])) return std::nullopt;
    size_t num_characters = 0;
    for (size_t at = 0, length; at < text.size(); at += length, ++num_characters) {
      const Codepoint c = character_at(text, at);
      length = static_cast<size_t>(c.length);
      if (c.value == kInvalidByte) return std::nullopt;
      if (length == 1 && is_known[c.value]) continue;
      if (tokens.find(text.substr(at, length)) == kNone) return std::nullopt;
      if (length == 1) is_known[c.value] = true;
    }
    if (num_characters > 1) sorted.push_back(id);
  }
  // Most files have them nearly in order, of which this needs fewer steps than std::sort.
  std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
  if (have_blank_runs(tokens, scores, sorted)) take_blank_runs(tokens, pieces);
  const auto same = [&](uint32_t a, uint32_t b) { return scores[a] == scores[b]; };
  if (std::adjacent_find(sorted.begin(), sorted.end(), same) != sorted.end()) return std::nullopt;
  return pieces;
}

// The greatest absolute value of a score, rounded up, or 0 if it is too great or too small for Unigram::has_words.
double largest_score(const TokenIds& tokens, const Spec& spec, const std::vector<double>& scores) {
  double largest = std::abs(spec.unknown_score);
  bool is_finite = std::isfinite(largest);
  for (size_t id = 0; id < scores.size(); ++id) {
    if (tokens.texts[id].empty()) continue;
    is_finite &= std::isfinite(scores[id]);
    largest = std::max(largest, std::abs(scores[id]));
  }
  constexpr double kLeast = 1e-9, kMost = 1e9;
  if (!is_finite || largest < kLeast || largest > kMost) return 0;
  return largest * 1.000001;
}

}  // namespace

std::optional<ListedMerges> list_merges(const char* op, Spec& spec, const TokenIds& tokens, const MergeRows& rows) {
  const std::vector<double> scores = read_scores(op, rows, static_cast<int64_t>(tokens.texts.size()));
  // The ids of unknown characters must not merge; some bytes without ids would be another rule.
  const auto is_piece = [&](uint32_t id) { return id >= tokens.texts.size() || !tokens.texts[id].empty(); };
  if (!spec.has_independent_words || spec.first_match || spec.unknown_id < 0 ||
      is_piece(static_cast<uint32_t>(spec.unknown_id)) ||
      std::any_of(spec.byte_ids.begin(), spec.byte_ids.end(), is_piece)) {
    return std::nullopt;
  }
  std::vector<bool> is_frozen(tokens.texts.size());
  for (const uint32_t id : spec.frozen) is_frozen[id] = true;
  auto pieces = merged_pieces(tokens, scores, is_frozen);
  if (!pieces) return std::nullopt;
  ListedMerges listed{{}, std::move(pieces->blank_runs), std::vector<bool>(tokens.texts.size())};
  std::vector<uint32_t> priorities(tokens.texts.size(), kNone);
  uint32_t priority = 0;
  for (const uint32_t id : pieces->sorted) priorities[id] = priority++;
  LastMerges merges(tokens, priorities, [](char c) { return !is_continuation(static_cast<uint8_t>(c)); });
  for (const uint32_t id : pieces->sorted) listed.made[id] = merges.add(id);
  listed.pairs = merges.take();
  for (const uint32_t id : spec.frozen)
    spec.added.push_back({id, kNormalized | kIsNormal, std::string(tokens.texts[id])});
  spec.frozen.clear();
  spec.model = Spec::Model::kBpe;
  spec.characters = spec.fuses_unknown = true;
  spec.byte_fallback = !spec.byte_ids.empty();
  return listed;
}

void add_scored_pieces(const char* op, Sections& sections, const TokenIds& tokens, const Spec& spec,
                       const MergeRows& rows) {
  const bool may_lack_unknown = spec.model == Spec::Model::kUnigram && !spec.is_sentencepiece;
  STRINGOPS_CHECK(spec.unknown_id >= 0 || may_lack_unknown, op, ": expected `unk` to be a token of this model, got ",
                  spec.unknown_id);
  const std::vector<double> scores = read_scores(op, rows, static_cast<int64_t>(tokens.texts.size()));
  UnigramRecord record{spec.unknown_score, static_cast<uint32_t>(spec.unknown_id), spec.is_sentencepiece, 0};
  if (spec.is_sentencepiece && spec.has_independent_words) record.largest_score = largest_score(tokens, spec, scores);
  sections.add(kByteIds, spec.byte_ids.empty() ? std::vector<uint32_t>(256, UnknownRule::kNoByte) : spec.byte_ids);
  sections.add(kUnigram, std::vector<UnigramRecord>{record});
  sections.add(kPieceTrie, build_piece_trie(op, tokens.texts));
  add_frozen(op, sections, tokens, spec);
  if (spec.model != Spec::Model::kConcatenationBpe) {
    return sections.add(kScores, scores);
  }
  std::vector<uint8_t> flags(tokens.texts.size() + 1);
  for (const uint32_t id : spec.unused) {
    if (id < flags.size()) flags[id] = kUnused;
  }
  sections.add(kPieceFlags, flags);
  sections.add(kRanks, ranks_of(scores));
}

}  // namespace stringops::kernels
