#include "kernels/subword_build_scores.h"

#include <algorithm>
#include <string>

#include "core/fail.h"

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

// The trie of the pieces of SentencePiece that the user defined.
void add_frozen(const char* op, Sections& sections, const TokenIds& tokens, const Spec& spec) {
  if (spec.frozen.empty()) return;
  std::vector<std::string> frozen(tokens.texts.size());
  for (const uint32_t id : spec.frozen) {
    if (id < frozen.size()) frozen[id] = tokens.texts[id];
  }
  sections.add(kFrozenTrie, build_piece_trie(op, frozen));
}

bool has_independent_words(const TokenIds& tokens, const Spec& spec) {
  const bool divides = std::none_of(tokens.texts.begin(), tokens.texts.end(), [](const std::string& piece) {
    return piece.find(kWordBegin, 1) != std::string::npos;
  });
  return divides && spec.frozen.empty() && spec.unused.empty() && tokens.find(kWordBegin) != kNone;
}

}  // namespace

void add_scored_pieces(const char* op, Sections& sections, const TokenIds& tokens, const Spec& spec,
                       const MergeRows& rows) {
  STRINGOPS_CHECK(spec.unknown_id >= 0, op, ": expected `unk` to be a token of this model, got ", spec.unknown_id);
  const UnigramRecord record{spec.unknown_score, static_cast<uint32_t>(spec.unknown_id), spec.is_sentencepiece,
                             has_independent_words(tokens, spec), 0};
  sections.add(kByteIds, spec.byte_ids.empty() ? std::vector<uint32_t>(256, UnknownRule::kNoByte) : spec.byte_ids);
  sections.add(kUnigram, std::vector<UnigramRecord>{record});
  sections.add(kScores, read_scores(op, rows, static_cast<int64_t>(tokens.texts.size())));
  sections.add(kPieceTrie, build_piece_trie(op, tokens.texts));
  add_frozen(op, sections, tokens, spec);
  sections.add(kCharsmap, std::vector<uint8_t>(spec.charsmap.begin(), spec.charsmap.end()));
  if (spec.model != Spec::Model::kConcatenationBpe) return;
  std::vector<uint8_t> flags(tokens.texts.size() + 1);
  for (const uint32_t id : spec.unused) {
    if (id < flags.size()) flags[id] = kUnused;
  }
  sections.add(kPieceFlags, flags);
}

}  // namespace stringops::kernels
