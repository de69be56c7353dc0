// equal_strings by masked loads, which touch no byte beyond a string, at any position in the data.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include <algorithm>

#include "core/bits.h"
#include "core/testing.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// Strings per block. Those of equal lengths are listed first, because it is unpredictable which they are.
constexpr int64_t kEqualBlock = block_size(256, 16);

// The distance, in comparisons, at which the bytes of listed strings are prefetched.
constexpr int64_t kEqualAhead = block_size(64, 5);

struct Listed {
  static constexpr int64_t kRoom = kEqualBlock + 2 * kEqualAhead + 16;

  uint32_t at[kRoom];
  uint32_t size[kRoom];
  uint32_t left[kRoom];
  uint32_t right[kRoom];
};

inline __m512i spread(uint32_t number) {
  return _mm512_set1_epi32(static_cast<int>(number));
}

inline __m512i load_16(const uint32_t* from, __mmask16 which) {
  return _mm512_maskz_loadu_epi32(which, from);
}

// Returns those of `which` with 0 <= begin <= end <= limit, unsigned.
inline __mmask16 bounded(__mmask16 which, __m512i begins, __m512i ends, __m512i limit) {
  return _mm512_mask_cmple_epu32_mask(_mm512_mask_cmple_epu32_mask(which, begins, ends), ends, limit);
}

// Writes the numbers of `which`; there is room for 16.
inline void compress(__mmask16 which, __m512i numbers, uint32_t* out) {
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(which, numbers));
}

inline bool equal_64(const uint8_t* p, const uint8_t* q, uint64_t which) {
  return _mm512_mask_cmpneq_epi8_mask(which, _mm512_maskz_loadu_epi8(which, p), _mm512_maskz_loadu_epi8(which, q)) == 0;
}

inline bool equal_bytes(const uint8_t* p, const uint8_t* q, int64_t n) {
  for (; n > 64; n -= 64, p += 64, q += 64) {
    if (!equal_64(p, q, ~uint64_t{0})) return false;
  }
  return equal_64(p, q, _bzhi_u64(~uint64_t{0}, static_cast<uint64_t>(n)));
}

void equal_strings(const StringRun& a, const StringRun& b, int64_t count, bool* out) {
  const auto* x = reinterpret_cast<const uint32_t*>(a.begins);
  const auto* x_end = reinterpret_cast<const uint32_t*>(a.ends);
  const auto* y = reinterpret_cast<const uint32_t*>(b.begins);
  const auto* y_end = reinterpret_cast<const uint32_t*>(b.ends);
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i a_limit = spread(static_cast<uint32_t>(a.num_bytes));
  const __m512i b_limit = spread(static_cast<uint32_t>(b.num_bytes));
  const uint32_t scalar_begin = y[0], scalar_end = y_end[0], scalar_size = scalar_end - scalar_begin;
  asm volatile("" ::: "memory");  // offsets are not read again: the values that are checked below are used
  __m512i b_begins = spread(scalar_begin), b_ends = spread(scalar_end);

  Listed listed;
  int64_t num_listed = 0;
  const auto compare = [&](int64_t num_compared) {
    for (int64_t k = 0; k < num_compared; ++k) {
      _mm_prefetch(a.data + listed.left[k + kEqualAhead], _MM_HINT_T0);
      if (!b.is_broadcast) _mm_prefetch(b.data + listed.right[k + kEqualAhead], _MM_HINT_T0);
      const uint32_t right = b.is_broadcast ? scalar_begin : listed.right[k],
                     size = b.is_broadcast ? scalar_size : listed.size[k];
      out[listed.at[k]] = equal_bytes(a.data + listed.left[k], b.data + right, size);
    }
  };
  for (int64_t from = 0; from < count; from += kEqualBlock) {
    const int64_t stop = std::min(count, from + kEqualBlock);
    for (int64_t i = from; i < stop; i += 16) {
      const auto here = static_cast<__mmask16>(low_bits(std::min<int64_t>(stop - i, 16)));
      const __m512i a_begins = load_16(x + i, here), a_ends = load_16(x_end + i, here);
      if (!b.is_broadcast) {
        b_begins = load_16(y + i, here);
        b_ends = load_16(y_end + i, here);
      }
      const __m512i sizes = _mm512_sub_epi32(a_ends, a_begins);
      __mmask16 equal = _mm512_mask_cmpeq_epi32_mask(here, sizes, _mm512_sub_epi32(b_ends, b_begins));
      equal = bounded(bounded(equal, a_begins, a_ends, a_limit), b_begins, b_ends, b_limit);
      _mm_mask_storeu_epi8(out + i, here, _mm_maskz_set1_epi8(equal, 1));
      // Empty strings are equal, and their addresses may be invalid.
      const __mmask16 open = _mm512_mask_test_epi32_mask(equal, sizes, sizes);
      compress(open, _mm512_add_epi32(lanes, spread(static_cast<uint32_t>(i))), listed.at + num_listed);
      compress(open, a_begins, listed.left + num_listed);
      if (!b.is_broadcast) {
        compress(open, b_begins, listed.right + num_listed);
        compress(open, sizes, listed.size + num_listed);
      }
      num_listed += popcount(open);
    }
    // The last ones wait for the next block, so that their bytes are prefetched.
    const int64_t num_compared = num_listed - kEqualAhead;
    if (num_compared <= 0) continue;
    compare(num_compared);
    const auto keep = [&](uint32_t* numbers) { std::copy_n(numbers + num_compared, kEqualAhead, numbers); };
    keep(listed.at);
    keep(listed.left);
    if (!b.is_broadcast) {
      keep(listed.right);
      keep(listed.size);
    }
    num_listed = kEqualAhead;
  }
  std::fill_n(listed.left + num_listed, kEqualAhead, 0);
  std::fill_n(listed.right + num_listed, kEqualAhead, 0);
  compare(num_listed);
}

}  // namespace
}  // namespace stringops::simd
