// distance_strip, one word at a time: the reference implementation.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// Eight words are few enough that the CPU begins the next column while the chain of this one goes on, and for the
// registers of AArch64.
template <class Words>
[[gnu::always_inline]] inline void strip_of(const DistanceStrip& strip, Words words, const uint16_t* rows, int64_t n,
                                            uint8_t* edges) {
  constexpr int64_t kWords = DistanceStrip::kWords;
  const int64_t num_words = words;
  uint64_t up[kWords], down[kWords];
  for (int64_t i = 0; i < num_words; ++i) {
    up[i] = strip.up[i];
    down[i] = strip.down[i];
  }
  for (int64_t j = 0; j < n; ++j) {
    const uint64_t* const masks = strip.masks + rows[j] * kWords;
    uint64_t up_in = edges[j] & 1, down_in = edges[j] >> 1;
#pragma GCC unroll 8
    for (int64_t i = 0; i < num_words; ++i) {
      const uint64_t vertical = masks[i] | down[i], equal = masks[i] | down_in;
      const uint64_t horizontal = (((equal & up[i]) + up[i]) ^ up[i]) | equal;
      const uint64_t right = down[i] | ~(horizontal | up[i]), left = up[i] & horizontal;
      const uint64_t up_next = right << 1 | up_in, down_next = left << 1 | down_in;
      up[i] = down_next | ~(vertical | up_next);
      down[i] = up_next & vertical;
      up_in = right >> 63;
      down_in = left >> 63;
    }
    edges[j] = static_cast<uint8_t>(up_in | down_in << 1);
  }
  for (int64_t i = 0; i < num_words; ++i) {
    strip.up[i] = up[i];
    strip.down[i] = down[i];
  }
}

inline void distance_strip(const DistanceStrip& strip, const uint16_t* rows, int64_t n, uint8_t* edges) {
  if (strip.num_words == DistanceStrip::kWords) {
    return strip_of(strip, std::integral_constant<int64_t, DistanceStrip::kWords>(), rows, n, edges);
  }
  strip_of(strip, strip.num_words, rows, n, edges);
}

}  // namespace
}  // namespace stringops::simd
