// The masks of English contractions in published patterns of words (regex/word_rule.h): 's, 't, 'm, 'd, 're, 've, 'll.
#pragma once

#include <cstdint>

#include "regex/word_rule.h"
#include "split/blocks.h"

namespace stringops::kernels {

class ContractionMasks {
 public:
  explicit ContractionMasks(WordRule::Contractions kind) : kind_(kind) {}

  // The blocks of a string come in order, and so do the words of 64 bytes of a block.
  void begin_block(const Block& block);
  void begin_word(int64_t w);

  // Finds those that begin at apostrophes of `candidates`: pieces, or parts of the words before them, of which each
  // takes one. What follows is another piece.
  void find(const Block& block, int64_t w, const uint64_t* string_starts, uint64_t candidates);

  // Bits of the word: of contractions, at which no piece begins, and of the bytes after contractions.
  uint64_t inside() const { return inside_; }
  uint64_t after() const { return after_; }

 private:
  // Returns the size of the contraction, in one string; 0 if there is none.
  int64_t size_at(const Block& block, int64_t at, const uint64_t* string_starts) const;

  const WordRule::Contractions kind_;
  // The end of the last one, and of the last one that begins in the block, from the end of that; -1 if there is none.
  int64_t end_ = -1, end_in_block_ = -1;
  uint64_t inside_ = 0, inside_next_ = 0, after_ = 0;
};

}  // namespace stringops::kernels
