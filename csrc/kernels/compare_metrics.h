// The Jaro-Winkler similarity of two strings of any length, their Damerau-Levenshtein distance, and their similarity by
// the longest common subsequence.
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
