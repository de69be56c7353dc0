// Where the pieces begin that word_rule.h describes, as masks of one bit per byte.
//
//   bytes    I ' l l ␣ a d d ␣ ( x ) ␣ 1 2 3 4
//   begins   1 1 . . 1 . . . 1 . 1 1 1 1 . . 1
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "kernels/driver/blocks.h"
#include "regex/class_rule.h"
#include "simd/primitives.h"

namespace stringops::kernels {

class WordMasks {
 public:
  WordMasks(const ClassRule::Words& rule, const simd::Primitives& simd) : rule_(rule), simd_(simd) {}

  // Bits of each byte of the characters of a class; of the beginnings of strings but the first; and of the last bytes
  // of code points, null if all are ASCII. One word after the last is read.
  struct Classes {
    const uint64_t *letters, *numbers, *spaces, *rest;
    const uint64_t *starts, *codepoint_ends;
  };

  // Of the block and of what is read after it, `num_bytes` in all. The blocks of a string come in order.
  void find_begins(const Block& block, int64_t num_bytes, const Classes& classes, uint64_t* begins);

 private:
  static constexpr int64_t kWords = words_for(kBlockBytes + 8 * kWordBits);
  using Words = std::array<uint64_t, static_cast<size_t>(kWords)>;

  // Of the byte before, 0 or 1: whether it is of the class; a character that leads letters; a newline that belongs to
  // the signs before it; whitespace that can lead letters.
  struct Before {
    uint64_t letters = 0, numbers = 0, rest = 0, spaces = 0, newlines = 0, blanks = 0, solo = 0, tail = 0, taken = 0;
  };

  uint64_t group_numbers(int64_t room, uint64_t numbers, uint64_t first, int64_t* count);
  uint64_t after_newlines(const Block& block, int64_t w, uint64_t candidates) const;
  void join_contractions(const Block& block, const uint64_t* starts, uint64_t* begins);

  const ClassRule::Words& rule_;
  const simd::Primitives& simd_;
  // Of the block before, if its string continues; the numbers since the last begin; and how many bytes of the next
  // block belong to a contraction.
  Before last_;
  int64_t numbers_ = 0;
  int64_t open_ = 0;
  Words newlines_, blanks_;
};

}  // namespace stringops::kernels
