// Unigram: finds, of all ways to divide a text into pieces, that of the greatest sum of scores (Viterbi's algorithm).
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/piece_trie.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "subword/models/unknown_runs.h"

namespace stringops::subword {

// The settings of a model in addition to its pieces, as tables store them.
struct UnigramRecord {
  double unknown_score;       // of a character that is not a piece
  uint32_t unknown_id;        // or kNone: such a character is a MissingPiece
  uint32_t is_sentencepiece;  // whether the rules of SentencePiece hold, or those of Hugging Face
  double largest_score;       // of Unigram::has_words: at least the absolute value of each score; 0: none
};

// Thrown by a text with a character that is not a piece if the model has no id for it.
struct MissingPiece : std::invalid_argument {
  MissingPiece() : invalid_argument("a character is not a piece, and the model has no unknown token") {}
};

// The best piece that ends at a byte.
struct UnigramNode {
  double score;   // of the best way to there
  uint32_t size;  // of the piece in bytes; 0 if none ends there yet
  uint32_t id;
};

// Memory that calls share. It grows with the longest run of bytes in which each position is inside a piece.
struct UnigramScratch {
  std::vector<UnigramNode> nodes;
  std::vector<double> margins;  // by how much each is better than the second best way to there, if that is asked for
  std::vector<uint32_t> path;
  Pace pace;
};

// It is part of a table, which comes from strangers: an id without a score has score 0, and any score is accepted.
// Scores that are not numbers are never greater than others.
class Unigram {
 public:
  // Scores are float64 by id. `byte_ids` as in UnknownRule.
  Unigram(const PieceTrie& trie, const uint8_t* scores, uint64_t num_scores, const uint8_t* byte_ids,
          const UnigramRecord& record)
      : trie_(trie), scores_(scores), num_scores_(num_scores), byte_ids_(byte_ids), record_(record) {}

  // Appends the ids of a text, and to `parts`, if it is not null, the part of the text that each stands for.
  void encode(StringView text, UnigramScratch& scratch, std::vector<uint32_t>& ids,
              std::vector<StringView>* parts) const {
    double sum = 0;
    encode_after(&sum, text, scratch, ids, parts);
  }

  // Same as above for the next part of a text. `sum` is that of the scores of the parts before.
  void encode_after(double* sum, StringView text, UnigramScratch& scratch, std::vector<uint32_t>& ids,
                    std::vector<StringView>* parts) const;

  // Whether the best way to divide a text is that of each of its words, one after the other, if sums are exact. Words
  // begin before runs of spaces. SentencePiece rounds the sum from the beginning of the text to single precision, so
  // words have other ids where another way has nearly the same sum, and the sum before the word is great.
  bool has_words() const { return record_.is_sentencepiece != 0 && record_.largest_score > 0; }

  // Appends the ids of a word. Returns the limit of the word: it has these ids if it ends within so many bytes of its
  // text, which are counted as by num_bytes; with limit 0, they may lack some.
  uint32_t encode_word(StringView word, UnigramScratch& scratch, std::vector<uint32_t>& ids) const;
  // The bytes that a sum may take at least.
  int64_t num_bytes(double sum) const;
  // The sum after a piece, which is within kMaxSum.
  double add(double sum, uint32_t id) const { return static_cast<float>(sum + score(id)); }

 private:
  // SentencePiece subtracts the sum to a character that is beyond it from that sum, and from those to the ends of
  // pieces that begin before the character.
  static constexpr double kMaxSum = 100000;

  // The rounding of sums.
  enum Rounding { kDouble, kSingle, kWithMargins };
  template <Rounding kRounding>
  const uint8_t* find_cut(StringView text, double* score, UnigramScratch& scratch) const;
  static void find_path(int64_t node, UnigramScratch& scratch);

  double score(uint32_t id) const {
    double score = 0;
    if (id < num_scores_) std::memcpy(&score, scores_ + uint64_t{id} * sizeof(score), sizeof(score));
    return score;
  }

  const PieceTrie trie_;
  const uint8_t* scores_;
  uint64_t num_scores_;
  const uint8_t* byte_ids_;
  UnigramRecord record_;
};

}  // namespace stringops::subword
