// Loops that C++ says as well as intrinsics would, written once: each tier inlines them into functions of its own, so
// that the compiler takes as many numbers at a time as the tier's vectors hold. simd/primitives.h draws what they mean.
// No step waits for the one before, or there would be nothing to take together.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"

#define STRINGOPS_INLINE [[gnu::always_inline]] inline

namespace stringops::simd::mask_words {

// The bits of words[w], each moved down to the place of the byte before; the next word brings the last one.
STRINGOPS_INLINE uint64_t down(const uint64_t* words, int64_t w) {
  return words[w] >> 1 | words[w + 1] << 63;
}

STRINGOPS_INLINE int64_t count_bits(const uint64_t* words, int64_t count) {
  int64_t bits = 0;
  for (int64_t w = 0; w < count; ++w) bits += popcount(words[w]);
  return bits;
}

STRINGOPS_INLINE void end_words(const uint64_t* __restrict separators, const uint64_t* __restrict row_starts,
                                int64_t count, uint64_t* __restrict kept, uint64_t* __restrict ends) {
  for (int64_t w = 0; w < count; ++w) {
    kept[w] = ~separators[w];
    ends[w] = ~separators[w] & (down(separators, w) | down(row_starts, w));
  }
}

STRINGOPS_INLINE bool end_fields(const uint64_t* __restrict delimiters, const uint64_t* __restrict covered,
                                 const uint64_t* __restrict row_starts, int64_t count, uint64_t* __restrict kept,
                                 uint64_t* __restrict ends) {
  uint64_t clashes = delimiters[0] & down(row_starts, 0) & 1;
  for (int64_t w = 0; w < count; ++w) {
    const uint64_t lasts = down(row_starts, w);
    const uint64_t moved = (delimiters[w] & lasts) >> 1 | (delimiters[w + 1] & down(row_starts, w + 1)) << 63;
    clashes |= moved & (delimiters[w] | lasts);
    kept[w] = ~covered[w];
    ends[w] = delimiters[w] | lasts | moved;
  }
  return clashes == 0;
}

STRINGOPS_INLINE void clamp_offsets(const int32_t* __restrict offsets, int64_t count, int32_t low, int32_t high,
                                    int32_t origin, int32_t* __restrict out) {
  for (int64_t k = 0; k < count; ++k) {
    const int32_t offset = offsets[k];  // read once: what another thread writes meanwhile would pass std::max by
    out[k] = std::min(std::max(offset, low), high) - origin;
  }
}

STRINGOPS_INLINE void widen(const int32_t* __restrict numbers, int64_t count, int64_t base, int64_t* __restrict out) {
  for (int64_t k = 0; k < count; ++k) out[k] = base + numbers[k];
}

}  // namespace stringops::simd::mask_words
