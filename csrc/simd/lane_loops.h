// Loops over 32-bit lanes that vector tiers share: rows of offsets. Included once by the file of a tier, after its
// target pragma and its definitions of
//
//   Vector, MM(name)        a register, and the tier's intrinsic of that name
//   store                   at any address
//   load_lanes_or, store_lanes    the first n lanes alone
#pragma once

#include <algorithm>

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

constexpr int64_t kLanes32 = sizeof(Vector) / 4;

// The first address after p that is aligned to a vector.
inline int32_t* next_aligned(int32_t* p) {
  return reinterpret_cast<int32_t*>((reinterpret_cast<uintptr_t>(p) | (sizeof(Vector) - 1)) + 1);
}

// Most rows are mostly padding, and a store across two cache lines costs as much as two, so all but a row's first are
// aligned. Every vector takes its ends and its padding in one load: the number of steps depends on the width alone, as
// the branches of separate loops over ends and padding cost more.
int32_t pad_rows(const int32_t* ends, int32_t begin, const int32_t* counts, int64_t num_rows, int64_t width,
                 int32_t last, int32_t* out, const int32_t* out_limit) {
  int64_t k = 0;
  // Narrow rows are one store each: whether a row reaches an aligned address would be unpredictable.
  for (; width <= kLanes32 && k < num_rows && out_limit - out > kLanes32; ++k) {
    const int64_t pieces = std::clamp<int64_t>(counts[k] - begin, 0, width);
    const int32_t* const from = ends + begin;
    *out = last;
    if (pieces > 0) last = from[pieces - 1];
    V::store(out + 1, V::load_lanes_or(from, pieces, MM(set1_epi32)(last)));
    out += width + 1;
    begin = counts[k];
  }
  for (; k < num_rows; ++k) {
    const int64_t pieces = std::clamp<int64_t>(counts[k] - begin, 0, width);
    const int32_t* const from = ends + begin;
    *out++ = last;
    if (pieces > 0) last = from[pieces - 1];
    const Vector padding = MM(set1_epi32)(last);
    int64_t c = 0;
    if (out_limit - out >= width + kLanes32) {
      V::store(out, V::load_lanes_or(from, pieces, padding));
      for (c = next_aligned(out) - out; c < width; c += kLanes32) {
        V::store(out + c, V::load_lanes_or(from + c, pieces - c, padding));
      }
    }
    for (; c < width; c += kLanes32)
      V::store_lanes(out + c, width - c, V::load_lanes_or(from + c, pieces - c, padding));
    out += width;
    begin = counts[k];
  }
  return last;
}

void use_lane_loops(Primitives& t) {
  t.pad_rows = pad_rows;
}

}  // namespace
}  // namespace stringops::simd
