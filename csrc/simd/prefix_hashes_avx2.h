// find_prefix_hashes, eight bytes at a time: their hashes are looked up by one gather instruction.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/bits.h"

namespace stringops::simd {
namespace {

void find_prefix_hashes(const uint8_t* data, int64_t n, int64_t readable, const PrefixHashes& hashes, uint64_t* words) {
  constexpr int64_t kLoaded = 64 - 8 + 16;  // bytes that the loads of a word reach
  // Lane k gets the bytes k to k + 3.
  const __m256i places =
      _mm256_setr_epi32(0x03020100, 0x04030201, 0x05040302, 0x06050403, 0x07060504, 0x08070605, 0x09080706, 0x0A090807);
  const __m256i factor = _mm256_set1_epi32(static_cast<int>(PrefixHashes::kFactor)), last = _mm256_set1_epi32(31);
  const __m128i ignored_bits = _mm_cvtsi32_si128(hashes.ignored_bits);
  const __m128i other_bits = _mm_cvtsi32_si128(32 - hashes.num_bits);
  uint8_t copy[kLoaded];
  for (int64_t i = 0; i < n; i += 64) {
    const uint8_t* from = data + i;
    if (readable - i < kLoaded) {
      std::memset(copy, 0, sizeof copy);
      std::memcpy(copy, from, static_cast<size_t>(readable - i));
      from = copy;
    }
    uint64_t found = 0;
    for (int64_t k = 0; k < 64; k += 8) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k));
      const __m256i word = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), places);
      const __m256i product = _mm256_mullo_epi32(_mm256_sll_epi32(word, ignored_bits), factor);
      const __m256i hash = _mm256_srl_epi32(product, other_bits);
      const __m256i bits = _mm256_i32gather_epi32(reinterpret_cast<const int*>(hashes.bits), _mm256_srli_epi32(hash, 5),
                                                  sizeof *hashes.bits);
      // Bit h % 32 becomes the sign.
      const __m256i signs = _mm256_sllv_epi32(bits, _mm256_andnot_si256(hash, last));
      found |= static_cast<uint64_t>(_mm256_movemask_ps(_mm256_castsi256_ps(signs))) << k;
    }
    words[i / 64] = found & low_bits(n - i);
  }
}

}  // namespace
}  // namespace stringops::simd
