// find_prefix_hashes, sixteen bytes at a time: their hashes are looked up by one gather instruction.
#pragma once

#include <cstdint>

#include "core/bits.h"

namespace stringops::simd {
namespace {

void find_prefix_hashes(const uint8_t* data, int64_t n, int64_t readable, const PrefixHashes& hashes, uint64_t* words) {
  // Lane k gets the bytes k to k + 3.
  const Vector lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const Vector places =
      _mm512_add_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32(0x01010101)), _mm512_set1_epi32(0x03020100));
  const Vector factor = _mm512_set1_epi32(static_cast<int>(PrefixHashes::kFactor)), one = _mm512_set1_epi32(1);
  const __m128i ignored_bits = _mm_cvtsi32_si128(hashes.ignored_bits);
  const __m128i other_bits = _mm_cvtsi32_si128(32 - hashes.num_bits);
  for (int64_t i = 0; i < n; i += 64) {
    uint64_t found = 0;
    for (int64_t k = 0; k < 64; k += 16) {
      const Vector bytes =
          _mm512_sll_epi32(_mm512_permutexvar_epi8(places, V::load(data, i + k, readable)), ignored_bits);
      const Vector hash = _mm512_srl_epi32(_mm512_mullo_epi32(bytes, factor), other_bits);
      const Vector bits = _mm512_i32gather_epi32(_mm512_srli_epi32(hash, 5), hashes.bits, 4);
      found |= uint64_t{_mm512_test_epi32_mask(_mm512_rorv_epi32(bits, hash), one)} << k;
    }
    words[i / 64] = found & low_bits(n - i);
  }
}

}  // namespace
}  // namespace stringops::simd
