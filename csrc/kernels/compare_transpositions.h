// The Damerau-Levenshtein distance of two strings of any length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "kernels/compare_edit_units.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// A metric (compare_edit_lanes.h): the least number of insertions, deletions, substitutions and transpositions of
// adjacent units, where units may be inserted between transposed ones, or deleted.
class PairDamerau {
 public:
  using Value = int64_t;

  // Distances above `limit` become limit + 1.
  explicit PairDamerau(int64_t limit) : limit_(limit) {}

  int64_t operator()(UnitRange a, UnitRange b);
  void start(UnitRange pattern) { pattern_units_ = pattern; }
  int64_t to_pattern(UnitRange text) { return (*this)(pattern_units_, text); }
  void finish() {}
  int64_t limit() const { return limit_; }
  int64_t beyond() const { return limit_ + (limit_ < INT64_MAX); }

  static constexpr int64_t kPlanes = 0, kMaxLaneText = 0;
  static void compute(const simd::PatternLanes&, const simd::TextRows&, int64_t, int8_t*, int64_t) {}
  int64_t value(UnitRange, UnitRange, const int8_t*, int64_t) const { return 0; }

 private:
  int64_t of_rows(UnitRange a, UnitRange b);

  const int64_t limit_;
  UnitRange pattern_units_{};
  UnitNumbers numbers_;
  std::vector<uint32_t> columns_;                  // the numbers of the units of b
  std::vector<int32_t> last_rows_;                 // of each number: the last row of that unit of a
  std::vector<int32_t> row_, row_before_, saved_;  // distances
  Pace pace_;
};

}  // namespace stringops::kernels
