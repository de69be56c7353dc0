// base64, 48 bytes at a time, by masked loads and stores.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/bits.h"
#include "core/narrow.h"
#include "simd/compare_strings.h"

namespace stringops::simd {
namespace {

// The bytes of each group of three in the order that the shifts expect: 1, 0, 2, 1.
struct Base64Groups {
  alignas(64) uint8_t bytes[64] = {};

  constexpr Base64Groups() {
    constexpr int kOrder[] = {1, 0, 2, 1};
    for (int i = 0; i < 64; ++i) bytes[i] = static_cast<uint8_t>(i / 4 * 3 + kOrder[i % 4]);
  }
};

void base64_blocks(const StringRun& strings, int64_t count, std::string_view alphabet, uint8_t* out,
                   const uint8_t* out_end, int32_t* ends) {
  static constexpr Base64Groups kGroups;
  constexpr int64_t kBytes = 48;
  const uint8_t* const begin = out;
  const Vector characters = V::load(alphabet.data()), groups = V::load(kGroups.bytes);
  const Vector shifts = V::wide(0x3036242A1016040A);  // the bit at which the six of each character begin
  for (int64_t i = 0; i < count; ++i) {
    const StringView text = string_at(strings, i);
    for (const uint8_t* p = text.begin; p < text.end; p += kBytes) {
      const int64_t read = std::min<int64_t>(text.end - p, kBytes), written = (read + 2) / 3 * 4;
      if (out_end - out < written) break;
      const Vector bytes = _mm512_maskz_loadu_epi8(low_bits(read), p);
      const Vector sextets = _mm512_multishift_epi64_epi8(shifts, _mm512_permutexvar_epi8(groups, bytes));
      const Vector result = _mm512_mask_mov_epi8(V::splat('='), low_bits((read * 4 + 2) / 3),
                                                 _mm512_permutexvar_epi8(sextets, characters));
      _mm512_mask_storeu_epi8(out, low_bits(written), result);
      out += written;
    }
    ends[i] = narrow<int32_t>(out - begin);
  }
}

}  // namespace
}  // namespace stringops::simd
