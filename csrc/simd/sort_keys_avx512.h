// divide_by_key and sort_few, eight entries at a time.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"

namespace stringops::simd {
namespace {

// Eight entries from i on, of n. Lanes at n and beyond are 0.
struct EightEntries {
  __mmask8 present;
  __m512i keys;
  __m256i positions;

  EightEntries(const KeyedPositions& from, int64_t i, int64_t n)
      : present(static_cast<__mmask8>(low_bits(std::min<int64_t>(n - i, 8)))),
        keys(_mm512_maskz_loadu_epi64(present, from.keys + i)),
        positions(_mm256_maskz_loadu_epi32(present, from.positions + i)) {}
};

int64_t divide_by_key_in_vectors(const KeyedPositions& entries, int64_t n, uint64_t bound, const KeyedPositions& less,
                                 const KeyedPositions& others) {
  const __m512i bounds = _mm512_set1_epi64(static_cast<int64_t>(bound));
  int64_t num_less = 0;
  for (int64_t i = 0; i < n; i += 8) {
    const EightEntries from(entries, i, n);
    const __mmask8 is_less = _mm512_mask_cmplt_epu64_mask(from.present, from.keys, bounds);
    const auto is_other = static_cast<__mmask8>(from.present & ~is_less);
    _mm512_storeu_si512(others.keys + i - num_less, _mm512_maskz_compress_epi64(is_other, from.keys));
    V::store_half(others.positions + i - num_less, _mm256_maskz_compress_epi32(is_other, from.positions));
    // What is written after those that are less has been read.
    _mm512_mask_storeu_epi64(less.keys + num_less, from.present, _mm512_maskz_compress_epi64(is_less, from.keys));
    _mm256_mask_storeu_epi32(less.positions + num_less, from.present,
                             _mm256_maskz_compress_epi32(is_less, from.positions));
    num_less += popcount(is_less);
  }
  return num_less;
}

// Each entry is copied to the place that the number of entries before it is.
uint64_t sort_few_in_vectors(const KeyedPositions& entries, int64_t n) {
  alignas(64) uint64_t keys[KeyedPositions::kFew], ranks[KeyedPositions::kFew];
  alignas(32) int32_t positions[KeyedPositions::kFew];
  for (int64_t i = 0; i < n; i += 8) {
    const EightEntries from(entries, i, n);
    V::store(keys + i, from.keys);
    V::store_half(positions + i, from.positions);
  }
  const __m512i one = _mm512_set1_epi64(1);
  for (int64_t i = 0; i < n; i += 8) {
    const __m512i own = V::load(keys + i);
    __m512i rank = _mm512_setzero_si512();
    const auto key_at = [&](int64_t k) { return _mm512_set1_epi64(static_cast<int64_t>(keys[k])); };
    const auto count = [&](__mmask8 after) { rank = _mm512_mask_add_epi64(rank, after, rank, one); };
    const int64_t own_end = std::min(n, i + 8);
    for (int64_t k = 0; k < i; ++k) count(_mm512_cmple_epu64_mask(key_at(k), own));
    for (int64_t k = i; k < own_end; ++k) {
      const auto later_lanes = static_cast<__mmask8>(0xFE << (k - i));
      count(_mm512_cmplt_epu64_mask(key_at(k), own) | _mm512_mask_cmpeq_epu64_mask(later_lanes, key_at(k), own));
    }
    for (int64_t k = own_end; k < n; ++k) count(_mm512_cmplt_epu64_mask(key_at(k), own));
    V::store(ranks + i, rank);
  }
  for (int64_t i = 0; i < n; ++i) {
    entries.keys[ranks[i]] = keys[i];
    entries.positions[ranks[i]] = positions[i];
  }
  uint64_t equal = 0;
  for (int64_t i = 1; i < n; i += 8) {
    const EightEntries from(entries, i, n);
    const __m512i before = _mm512_maskz_loadu_epi64(from.present, entries.keys + i - 1);
    equal |= uint64_t{_mm512_mask_cmpeq_epu64_mask(from.present, from.keys, before)} << i;
  }
  return equal;
}

}  // namespace
}  // namespace stringops::simd
