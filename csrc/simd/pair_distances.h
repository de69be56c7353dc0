// pair_distances, by the matrix of distances between beginnings: the reference implementation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

inline int64_t distance_of(const UnitPair& pair) {
  // Column[i] is the distance of the text so far to the first i units of the pattern.
  int64_t column[UnitPair::kMaxUnits + 1];
  for (int64_t i = 0; i <= pair.pattern_size; ++i) column[i] = i;
  for (int64_t j = 0; j < pair.text_size; ++j) {
    int64_t before = std::exchange(column[0], j + 1);
    for (int64_t i = 0; i < pair.pattern_size; ++i) {
      const int64_t replaced = before + (pair.pattern[i] != pair.text[j]);
      before = column[i + 1];
      column[i + 1] = std::min({replaced, before + 1, column[i] + 1});
    }
  }
  return column[pair.pattern_size];
}

inline void pair_distances(const UnitPair* pairs, int64_t count, int64_t, int64_t* distances) {
  for (int64_t i = 0; i < count; ++i) distances[i] = distance_of(pairs[i]);
}

}  // namespace
}  // namespace stringops::simd
