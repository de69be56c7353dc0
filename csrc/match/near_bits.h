// Bits of masks that are most often next to each other, within 64.
#pragma once

#include <cstdint>

#include "core/bits.h"

namespace stringops::kernels {

// The first bit from `from` on, which there must be. The word after that of bit `from` is read.
inline int64_t first_from(const uint64_t* words, int64_t from) {
  const uint64_t near = bits_at(words, from);
  return near != 0 ? from + first_bit(near) : next_bit(words, from + kWordBits);
}

// The last bit before `at`, which there must be.
inline int64_t last_before(const uint64_t* words, int64_t at) {
  int64_t w = (at - 1) / kWordBits;
  uint64_t word = words[w] & low_bits((at - 1) % kWordBits + 1);
  while (word == 0) word = words[--w];
  return w * kWordBits + last_bit(word);
}

// Sets the bits [begin, end), without a branch on whether at most 64 of them are in one word.
inline void set_short(uint64_t* words, int64_t begin, int64_t end) {
  if (end - begin > kWordBits) return set_bits(words, begin, end);
  const uint64_t bits = low_bits(end - begin);
  words[begin / kWordBits] |= bits << begin % kWordBits;
  words[(end - 1) / kWordBits] |= (bits >> 1) >> (kWordBits - 1 - begin % kWordBits);
}

}  // namespace stringops::kernels
