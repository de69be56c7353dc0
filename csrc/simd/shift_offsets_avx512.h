// shift_offsets in one pass: the offset before each one is taken from registers.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include <cstdint>
#include <limits>

#include "core/bits.h"

namespace stringops::simd {
namespace {

bool shift_offsets_once(const int32_t* __restrict offsets, int64_t count, int32_t shift, int32_t* __restrict out) {
  const __m512i shifts = _mm512_set1_epi32(shift);
  __m512i before = _mm512_set1_epi32(std::numeric_limits<int32_t>::min());
  __mmask16 decreasing = 0;
  const auto shift_16 = [&](int64_t k, __mmask16 present) {
    const __m512i shifted = _mm512_add_epi32(_mm512_maskz_loadu_epi32(present, offsets + k), shifts);
    const __m512i previous = _mm512_alignr_epi32(shifted, before, 15);
    decreasing |= _mm512_mask_cmplt_epi32_mask(present, shifted, previous);
    _mm512_mask_storeu_epi32(out + k, present, shifted);
    before = shifted;
  };
  int64_t k = 0;
  for (; k + 16 <= count; k += 16) shift_16(k, 0xFFFF);
  if (k < count) shift_16(k, static_cast<__mmask16>(low_bits(count - k)));
  return decreasing == 0;
}

}  // namespace
}  // namespace stringops::simd
