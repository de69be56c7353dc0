// Finds the places at which a text may be cut before Unigram divides it: between ASCII characters that are adjacent in
// no piece. Every way to divide the text goes through such a place, so the best way is the best one of each part.
//
// This needs sums whose rounding does not depend on the text before the part: exact ones, or limits of words
// (Unigram::has_words). And no run of unknown characters may go on after the place, because it becomes one id.
//
// A table stores a bit for each pair, at 128 * first + second. There is none for two letters, between which cuts are
// rare, nor for spaces, where words begin.
#pragma once

#include <cstdint>

#include "core/bits.h"
#include "subword/array.h"

namespace stringops::subword {

class UnigramCuts {
 public:
  static constexpr uint64_t kNumAscii = 128, kNumBytes = kNumAscii * kNumAscii / 8;
  // Bytes of texts that are cut if sums are exact: those of longer ones may not be.
  static constexpr int64_t kMaxExact = 1 << 20;

  UnigramCuts() = default;
  explicit UnigramCuts(Array<uint8_t> bits) : bits_(bits.size == kNumBytes ? bits : Array<uint8_t>{}) {}

  bool none() const { return bits_.size == 0; }

  // Whether there is a cut between two characters of ASCII.
  bool has(uint8_t first, uint8_t second) const {
    const uint64_t pair = uint64_t{first} % kNumAscii * kNumAscii + second % kNumAscii;
    return (bits_.unchecked(pair / 8) >> pair % 8 & 1) != 0;
  }

  // Returns the cuts among the places before these bytes, one bit each. Each byte and the one before it are ASCII.
  uint64_t find(const uint8_t* text, uint64_t places) const {
    uint64_t found = 0;
    for (uint64_t rest = places; rest != 0; rest &= rest - 1) {
      const int i = first_bit(rest);
      found |= uint64_t{has(text[i - 1], text[i])} << i;
    }
    return found;
  }

 private:
  Array<uint8_t> bits_;
};

}  // namespace stringops::subword
