// The Jaro-Winkler similarity of two strings of any length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "kernels/compare_edit_units.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// A metric (compare_edit_lanes.h). Two equal units match if their positions differ by at most max(m, n) / 2 - 1, for
// strings of m and n units, and each matches once: the first ones that can. For c matches, of which t are not at the
// same place among the matches of both strings, Jaro's similarity is (c / m + c / n + (c - t / 2) / c) / 3. Winkler's
// is nearer to 1 for similar strings with a common prefix.
class PairJaroWinkler {
 public:
  using Value = float;

  explicit PairJaroWinkler(double prefix_weight) : prefix_weight_(prefix_weight) {}

  float operator()(UnitRange a, UnitRange b);
  void start(UnitRange pattern) { pattern_units_ = pattern; }
  float to_pattern(UnitRange text) { return (*this)(pattern_units_, text); }
  void finish() {}
  int64_t limit() const { return INT64_MAX; }
  float beyond() const { return 0; }

  static constexpr int64_t kPlanes = 2, kMaxLaneText = simd::kMaxMatchedText;
  static void compute(const simd::PatternLanes& patterns, const simd::TextRows& texts, int64_t count, int8_t* numbers,
                      int64_t pitch) {
    simd::primitives().lane_matches(patterns, texts, count, numbers, pitch);
  }
  float value(UnitRange text, UnitRange pattern, const int8_t* numbers, int64_t pitch) const {
    return similarity(text, pattern, numbers[0], numbers[pitch]);
  }

 private:
  float of_words(UnitRange a, UnitRange b);
  float of_any_size(UnitRange a, UnitRange b);
  float similarity(UnitRange a, UnitRange b, int64_t matches, int64_t moved) const {
    if (matches == 0) return a.size() + b.size() == 0 ? 1 : 0;
    const auto common = static_cast<double>(matches), in_order = static_cast<double>(matches - moved / 2);
    const double jaro =
        (common / static_cast<double>(a.size()) + common / static_cast<double>(b.size()) + in_order / common) / 3;
    constexpr double kSimilar = 0.7;
    if (jaro <= kSimilar) return static_cast<float>(jaro);
    constexpr int64_t kMaxPrefix = 4;
    const int64_t most = std::min({a.size(), b.size(), kMaxPrefix});
    int64_t prefix = 0;
    while (prefix < most && a.begin[prefix] == b.begin[prefix]) ++prefix;
    return static_cast<float>(std::min(jaro + static_cast<double>(prefix) * prefix_weight_ * (1 - jaro), 1.0));
  }

  // How far apart units may be that match.
  static int64_t reach_of(UnitRange a, UnitRange b) {
    const int64_t half = std::max(a.size(), b.size()) / 2;
    return half - (half > 0 ? 1 : 0);
  }

  const double prefix_weight_;
  UnitRange pattern_units_{};
  UnitMasks unit_masks_;
  UnitNumbers numbers_;
  std::vector<int32_t> first_, next_;  // the first unit of the pattern of each number, and after each unit the next one
  std::vector<uint32_t> matched_;
  std::vector<uint8_t> is_matched_;
  Pace pace_;
};

}  // namespace stringops::kernels
