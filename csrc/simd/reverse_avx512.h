// reverse, 64 bytes at a time: the bytes of each code point change places, and then all bytes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/reverse.h"
#include "simd/utf8_block_avx512.h"

namespace stringops::simd {
namespace {

// Reverses the bytes of each code point.
Vector reverse_each(const Utf8Block& block) {
  const uint64_t two = block.leads[0], three = block.leads[1], four = block.leads[2];
  Vector from = ByteNumbers<1>::load();
  const auto move = [&](uint64_t bytes, uint64_t partners, uint8_t distance) {
    from = _mm512_mask_add_epi8(from, bytes, from, V::splat(distance));
    from = _mm512_mask_sub_epi8(from, partners, from, V::splat(distance));
  };
  move(two | four << 1, two << 1 | four << 2, 1);
  move(three, three << 2, 2);
  move(four, four << 3, 3);
  return _mm512_permutexvar_epi8(from, block.bytes);
}

void reverse_blocks(const uint8_t* data, const int32_t* ends, int64_t count, uint8_t* out) {
  for (int64_t s = 0, begin = 0; s < count; ++s) {
    const int64_t end = ends[s];
    uint8_t* to = out + end;
    for (int64_t i = begin; i < end;) {
      Vector x = V::load(data, i, end);
      int64_t size = std::min<int64_t>(end - i, 64);
      if (V::signs(x) != 0) {
        const Utf8Block block(x, end - i);
        if (!block.valid) {
          const int64_t done = reverse_some(data + i, data + end, size, to);
          to -= done;
          i += done;
          continue;
        }
        size = block.size;
        x = reverse_each(block);
      }
      const Vector from = _mm512_sub_epi8(V::splat(static_cast<uint8_t>(size - 1)), ByteNumbers<1>::load());
      to -= size;
      _mm512_mask_storeu_epi8(to, low_bits(size), _mm512_permutexvar_epi8(from, x));
      i += size;
    }
    begin = end;
  }
}

}  // namespace
}  // namespace stringops::simd
