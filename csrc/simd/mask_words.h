// Primitives in plain C++ that every tier compiles for itself, as the compiler's vectors are then the tier's.
// simd/primitives.h specifies them. No step depends on the one before, so that the loops are vectorized.
//
// Included once by the file of a tier, after its target pragma.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// The bits of words[w], each shifted to the byte before; the last one comes from the next word.
inline uint64_t down(const uint64_t* words, int64_t w) {
  return words[w] >> 1 | words[w + 1] << 63;
}

int64_t count_bits(const uint64_t* words, int64_t count) {
  int64_t bits = 0;
  for (int64_t w = 0; w < count; ++w) bits += popcount(words[w]);
  return bits;
}

void end_words(const uint64_t* __restrict separators, const uint64_t* __restrict row_starts, int64_t count,
               uint64_t* __restrict kept, uint64_t* __restrict ends) {
  for (int64_t w = 0; w < count; ++w) {
    kept[w] = ~separators[w];
    ends[w] = ~separators[w] & (down(separators, w) | down(row_starts, w));
  }
}

bool end_fields(const uint64_t* __restrict delimiters, const uint64_t* __restrict covered,
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

void clamp_offsets(const int32_t* __restrict offsets, int64_t count, int32_t low, int32_t high, int32_t origin,
                   int32_t* __restrict out) {
  for (int64_t k = 0; k < count; ++k) {
    const int32_t offset = offsets[k];  // read once, as a concurrent write may change it
    out[k] = std::min(std::max(offset, low), high) - origin;
  }
}

bool shift_offsets(const int32_t* __restrict offsets, int64_t count, int32_t shift, int32_t* __restrict out) {
  constexpr int64_t kBlock = 1024;  // which is in the L1 cache when it is compared
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t end = std::min(i + kBlock, count);
    for (int64_t k = i; k < end; ++k) {
      out[k] = static_cast<int32_t>(static_cast<uint32_t>(offsets[k]) + static_cast<uint32_t>(shift));
    }
    int32_t decreasing = 0;  // the loop has no exit, so that it is vectorized
    for (int64_t k = std::max<int64_t>(i, 1); k < end; ++k) decreasing |= out[k] < out[k - 1] ? -1 : 0;
    if (decreasing != 0) return false;
  }
  return true;
}

void widen(const int32_t* __restrict numbers, int64_t count, int64_t base, int64_t* __restrict out) {
  for (int64_t k = 0; k < count; ++k) out[k] = base + numbers[k];
}

void use_mask_words(Primitives& t) {
  t.end_words = end_words;
  t.end_fields = end_fields;
  t.clamp_offsets = clamp_offsets;
  t.shift_offsets = shift_offsets;
  t.widen = widen;
  t.count_bits = count_bits;
}

}  // namespace
}  // namespace stringops::simd
