// The edit distance of two strings of any length, by Myers' bit-vector algorithm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "kernels/compare_edit_units.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// A metric (compare_edit_lanes.h): the Levenshtein distance.
class PairDistance {
 public:
  using Value = int64_t;

  // Distances above `limit` become limit + 1.
  explicit PairDistance(int64_t limit) : limit_(limit) {}

  int64_t operator()(UnitRange a, UnitRange b);
  void start(UnitRange pattern);
  int64_t to_pattern(UnitRange text);
  void finish();
  int64_t limit() const { return limit_; }
  int64_t beyond() const { return limit_ + (limit_ < INT64_MAX); }

  static constexpr int64_t kPlanes = 1, kMaxLaneText = INT64_MAX;
  static void compute(const simd::PatternLanes& patterns, const simd::TextRows& texts, int64_t count, int8_t* numbers,
                      int64_t pitch) {
    simd::primitives().lane_distances(patterns, texts, count, numbers, pitch);
  }
  int64_t value(UnitRange text, UnitRange, const int8_t* difference, int64_t) const {
    return std::min(text.size() + *difference, beyond());
  }

 private:
  int64_t limited(int64_t distance) const { return distance > limit_ ? limit_ + 1 : distance; }
  int64_t of_word(int64_t pattern_size, UnitRange text) const;
  int64_t of_strips(UnitRange pattern, UnitRange text);
  int64_t in_band(int64_t max_distance);
  void take_columns(int64_t begin, int64_t end, uint64_t* up, uint64_t* down, int64_t num_words);
  int64_t least_distance(int64_t begin, int64_t end, int64_t distance) const;

  const int64_t limit_;
  UnitMasks unit_masks_;
  UnitRange pattern_units_{};

  // The state of strips: the numbers of the units, and how the distance changes from one unit of the text to the next.
  UnitNumbers numbers_;
  std::vector<uint32_t> pattern_, text_;
  MaskRows rows_;
  std::vector<uint8_t> edges_;
  Pace pace_;
};

}  // namespace stringops::kernels
