// Similarity by the longest common subsequence of two strings of any length.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/compare_edit_units.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// A metric (compare_edit_lanes.h): 1 - d / (m + n) for strings of m and n units, where d is the least number of
// insertions and deletions that make one string the other; 1 for two empty strings.
class PairRatio {
 public:
  using Value = float;

  float operator()(UnitRange a, UnitRange b) { return ratio(a, b, common(a, b)); }
  void start(UnitRange pattern);
  float to_pattern(UnitRange text);
  void finish();
  int64_t limit() const { return INT64_MAX; }
  float beyond() const { return 0; }

  static constexpr int64_t kPlanes = 1, kMaxLaneText = INT64_MAX;
  static void compute(const simd::PatternLanes& patterns, const simd::TextRows& texts, int64_t count, int8_t* numbers,
                      int64_t pitch) {
    simd::primitives().lane_subsequences(patterns, texts, count, numbers, pitch);
  }
  float value(UnitRange text, UnitRange pattern, const int8_t* length, int64_t) const {
    return ratio(text, pattern, *length);
  }

 private:
  static constexpr int64_t kStripUnits = MaskRows::kRowWords * kWordBits;

  // The size of the longest common subsequence is `common`.
  static float ratio(UnitRange a, UnitRange b, int64_t common) {
    const int64_t units = a.size() + b.size();
    return units == 0 ? 1
                      : static_cast<float>(1.0 - static_cast<double>(units - 2 * common) / static_cast<double>(units));
  }

  int64_t common(UnitRange a, UnitRange b);
  int64_t of_word(int64_t pattern_size, UnitRange text) const;
  int64_t of_strips(UnitRange pattern, UnitRange text);
  int64_t of_strip(int64_t size, UnitRange text);
  template <int64_t kWords>
  int64_t of_words(int64_t size, UnitRange text);

  UnitMasks unit_masks_;
  UnitRange pattern_units_{};

  // The state of strips: the numbers of the pattern's units, and the carry bits of each unit of the text from one strip
  // to the next.
  UnitNumbers numbers_;
  std::vector<uint32_t> pattern_;
  MaskRows rows_;
  std::vector<uint8_t> carries_;
};

}  // namespace stringops::kernels
