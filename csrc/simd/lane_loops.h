// Loops over 32-bit lanes that vector tiers share: rows of offsets. Included once by the file of a tier, after its
// target pragma and its definitions of
//
//   Vector, MM(name)        a register, and the tier's intrinsic of that name
//   store                   at any address
//   load_lanes_or, store_lanes    the first n lanes alone
//   permute_lanes(x, from)        lane i of the result is lane from[i] of x
//   same(x, y)                    all lanes are equal
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

// Writes rows that have no padding: several rows of a few ends each make one vector.
//
//   ends       a b c d e f         width 2
//   vector     l a b b c d d e f   `last` for l, which is before the ends
class FullRows {
 public:
  explicit FullRows(int64_t width) : width_(width), num_rows_(width > 0 ? kLanes32 / (width + 1) : 0) {
    if (num_rows_ < 2) return;
    int32_t end = kLanes32 - 1;  // the last lane is never an end
    for (int64_t i = 0, column = 0, ends = 0; i < kLanes32; ++i) {
      sources_[i] = end;
      counts_[i] = static_cast<int32_t>((i + 1) * width);
      column = column == width ? 0 : column + 1;
      if (column > 0) end = static_cast<int32_t>(ends++);
    }
  }

  // Whether the next kLanes32 rows are full.
  bool are_next(const int32_t* counts, int32_t begin) const {
    return num_rows_ >= 2 && V::same(V::load(counts), MM(add_epi32)(V::load(counts_), MM(set1_epi32)(begin)));
  }

  // Writes kLanes32 rows, and up to a vector after them.
  int32_t write(const int32_t* ends, int32_t last, int32_t* out) const {
    for (int64_t row = 0; row < kLanes32; row += num_rows_) {
      const int64_t num_ends = std::min(num_rows_, kLanes32 - row) * width_;
      const Vector from = V::load_lanes_or(ends, num_ends, MM(set1_epi32)(last));
      V::store(out, V::permute_lanes(from, V::load(sources_)));
      ends += num_ends;
      out += num_rows_ * (width_ + 1);
      last = ends[-1];
    }
    return last;
  }

 private:
  const int64_t width_, num_rows_;
  alignas(64) int32_t sources_[kLanes32], counts_[kLanes32];
};

// Most rows are mostly padding, and a store across two cache lines costs as much as two, so all stores but the first of
// a row are aligned. Every vector takes its ends and its padding in one load: the number of steps depends only on the
// width, because the branches of separate loops over ends and padding cost more.
int32_t pad_rows(const int32_t* ends, int32_t begin, const int32_t* counts, int64_t num_rows, int64_t width,
                 int32_t last, int32_t* out, const int32_t* out_limit) {
  int64_t k = 0;
  if (width <= kLanes32) {
    // Narrow rows take one store each: it would be unpredictable whether a row reaches an aligned address.
    const auto pad_one = [&] {
      const int64_t pieces = std::clamp<int64_t>(counts[k] - begin, 0, width);
      const int32_t* const from = ends + begin;
      *out = last;
      if (pieces > 0) last = from[pieces - 1];
      V::store(out + 1, V::load_lanes_or(from, pieces, MM(set1_epi32)(last)));
      out += width + 1;
      begin = counts[k++];
    };
    const FullRows full(width);
    const int64_t step = kLanes32 * (width + 1);  // offsets of one row for each lane of a vector
    while (num_rows - k >= kLanes32 && out_limit - out >= step + kLanes32) {
      if (full.are_next(counts + k, begin)) {
        last = full.write(ends + begin, last, out);
        out += step;
        k += kLanes32;
        begin = counts[k - 1];
      } else {
        for (int64_t i = 0; i < kLanes32; ++i) pad_one();
      }
    }
    while (k < num_rows && out_limit - out > kLanes32) pad_one();
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
