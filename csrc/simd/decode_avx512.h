// decode, 64 bytes at a time: the bytes of sixteen code points are moved to the lanes of a vector.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/decode.h"
#include "simd/utf8_block_avx512.h"

namespace stringops::simd {
namespace {

// Tables by the upper half of the first byte. The bytes of a code point have come together in 24 bits: those of the
// first byte, and six of each other one. The rows of continuations are not used.
struct LeadTables {
  alignas(64) uint32_t shift[16] = {18, 18, 18, 18, 18, 18, 18, 18, 0, 0, 0, 0, 12, 12, 6, 0};
  alignas(64) uint32_t bits[16] = {0x7F, 0x7F, 0x7F, 0x7F, 0x7F,  0x7F,  0x7F,   0x7F,
                                   0,    0,    0,    0,    0x7FF, 0x7FF, 0xFFFF, 0x1FFFFF};
};

// Returns the code points at sixteen positions, from number `first` on.
Vector decode_16(Vector bytes, Vector positions, int64_t first) {
  static constexpr LeadTables kTables;
  const auto splat = [&](uint32_t c) { return _mm512_set1_epi32(static_cast<int>(c)); };
  // Each lane gets its position four times, and adds the distances of the four bytes, the first one on top.
  const Vector lanes = _mm512_add_epi8(ByteNumbers<4>::load(), V::splat(static_cast<uint8_t>(first)));
  const Vector at = _mm512_add_epi8(_mm512_permutexvar_epi8(lanes, positions), splat(0x00010203));
  const Vector x = _mm512_permutexvar_epi8(at, bytes), kind = _mm512_srli_epi32(x, 28);
  const Vector together = (_mm512_srli_epi32(x, 6) & splat(0x1FC0000)) | (_mm512_srli_epi32(x, 4) & splat(0x3F000)) |
                          (_mm512_srli_epi32(x, 2) & splat(0xFC0)) | (x & splat(0x3F));
  return _mm512_srlv_epi32(together, _mm512_permutexvar_epi32(kind, V::load(kTables.shift))) &
         _mm512_permutexvar_epi32(kind, V::load(kTables.bits));
}

int64_t decode_blocks(const uint8_t* text, int64_t size, uint32_t* out) {
  int64_t count = 0;
  for (int64_t i = 0; i < size;) {
    const int64_t left = size - i;
    const Vector x = V::load(text, i, size);
    if (V::signs(x) == 0) {
      const int64_t n = std::min<int64_t>(left, 64);
      Vector bytes = x;
      for (int64_t k = 0; k < n; k += 16) {
        V::store(out + count + k, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes)));
        bytes = _mm512_alignr_epi64(bytes, bytes, 2);
      }
      count += n;
      i += n;
      continue;
    }
    const Utf8Block block(x, left);
    if (block.valid) {
      const Vector positions = _mm512_maskz_compress_epi8(block.starts, ByteNumbers<1>::load());
      const int64_t n = popcount(block.starts);
      for (int64_t k = 0; k < n; k += 16) V::store(out + count + k, decode_16(x, positions, k));
      count += n;
      i += block.size;
      continue;
    }
    for (const int64_t end = i + std::min<int64_t>(left, 64); i < end; ++count) {
      i += decode_one(text + i, text + size, out + count);
    }
  }
  return count;
}

}  // namespace
}  // namespace stringops::simd
