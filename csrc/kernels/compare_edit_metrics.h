// Distances and similarities of two strings of units.
//
// A metric compares two strings, in either order. It keeps its tables from pair to pair, and has
//
//   using Value
//   static constexpr Cost kCost      of a pair of strings (driver/runner.h)
//   explicit Metric(arguments)
//   Value operator()(a, b)           the value of two strings of any length
//   int64_t limit() const            strings whose sizes differ by more have the value beyond()
//   Value beyond() const
//   static constexpr int64_t kPlanes the numbers that lanes (compare_edit_lanes.h) compute for a pair: a byte each; 0
//   if
//                                    it has no lanes
//   static constexpr int64_t kMaxLaneText
//   static void compute(lanes, texts, count, numbers, pitch)   the primitive that does
//   Value value(text, pattern, numbers, pitch)   the value of a pair, from numbers[0], numbers[pitch], ...
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "driver/runner.h"
#include "kernels/compare_edit_units.h"
#include "simd/primitives.h"

namespace stringops::kernels {

struct MetricArguments {
  bool codepoints;                   // whether units are code points, or bytes
  int64_t max_distance = INT64_MAX;  // greater distances become max_distance + 1
  double prefix_weight = 0;
};

// Distances up to a limit; greater ones are the limit and one.
class LimitedDistance {
 public:
  using Value = int64_t;

  explicit LimitedDistance(const MetricArguments& arguments) : limit_(arguments.max_distance) {}

  int64_t limit() const { return limit_; }
  int64_t beyond() const { return limit_ + (limit_ < INT64_MAX); }

 protected:
  int64_t limited(int64_t distance) const { return std::min(distance, beyond()); }

  const int64_t limit_;
};

// Similarities, which have no limit.
struct Similarity {
  using Value = float;

  static int64_t limit() { return INT64_MAX; }
  static float beyond() { return 0; }
};

// The Levenshtein distance, by Myers' bit-vector algorithm.
class PairDistance : public LimitedDistance {
 public:
  static constexpr Cost kCost{80, 10};
  using LimitedDistance::LimitedDistance;

  int64_t operator()(UnitRange a, UnitRange b);

  static constexpr int64_t kPlanes = 1, kMaxLaneText = INT64_MAX;
  static void compute(const simd::PatternLanes& patterns, const simd::TextRows& texts, int64_t count, int8_t* numbers,
                      int64_t pitch) {
    simd::primitives().lane_distances(patterns, texts, count, numbers, pitch);
  }
  int64_t value(UnitRange text, UnitRange, const int8_t* difference, int64_t) const {
    return limited(text.size() + *difference);
  }

 private:
  int64_t of_word(UnitRange pattern, UnitRange text);
  int64_t of_strips(UnitRange pattern, UnitRange text);
  int64_t in_band(int64_t max_distance);
  void take_columns(int64_t begin, int64_t end, uint64_t* up, uint64_t* down, int64_t num_words);
  int64_t least_distance(int64_t begin, int64_t end, int64_t distance) const;

  UnitMasks unit_masks_;

  // The state of strips: the numbers of the units, and how the distance changes from one unit of the text to the next.
  UnitNumbers numbers_;
  std::vector<uint32_t> pattern_, text_;
  MaskRows rows_;
  std::vector<uint8_t> edges_;
  Pace pace_;
};

// 1 - d / (m + n) for strings of m and n units, where d is the least number of insertions and deletions that make one
// string the other; 1 for two empty strings. It is found by the longest common subsequence.
class PairRatio : public Similarity {
 public:
  static constexpr Cost kCost{60, 5};
  explicit PairRatio(const MetricArguments&) {}

  float operator()(UnitRange a, UnitRange b) { return ratio(a, b, common(a, b)); }

  static constexpr int64_t kPlanes = 1, kMaxLaneText = INT64_MAX;
  static void compute(const simd::PatternLanes& patterns, const simd::TextRows& texts, int64_t count, int8_t* numbers,
                      int64_t pitch) {
    simd::primitives().lane_subsequences(patterns, texts, count, numbers, pitch);
  }
  float value(UnitRange text, UnitRange pattern, const int8_t* length, int64_t) const {
    return ratio(text, pattern, *length);
  }

 private:
  // The size of the longest common subsequence is `common`.
  static float ratio(UnitRange a, UnitRange b, int64_t common) {
    const int64_t units = a.size() + b.size();
    return units == 0 ? 1
                      : static_cast<float>(1.0 - static_cast<double>(units - 2 * common) / static_cast<double>(units));
  }

  int64_t common(UnitRange a, UnitRange b);
  int64_t of_word(UnitRange pattern, UnitRange text);
  int64_t of_strips(UnitRange pattern, UnitRange text);
  int64_t of_strip(int64_t size, UnitRange text);

  UnitMasks unit_masks_;

  // The state of strips: the numbers of the pattern's units, and the carry bits of each unit of the text from one strip
  // to the next.
  UnitNumbers numbers_;
  std::vector<uint32_t> pattern_;
  MaskRows rows_;
  std::vector<uint8_t> carries_;
};

// The Jaro-Winkler similarity. Two equal units match if their positions differ by at most max(m, n) / 2 - 1, for
// strings of m and n units, and each matches once: the first ones that can. For c matches, of which t are not at the
// same place among the matches of both strings, Jaro's similarity is (c / m + c / n + (c - t / 2) / c) / 3. Winkler's
// is nearer to 1 for similar strings with a common prefix.
class PairJaroWinkler : public Similarity {
 public:
  static constexpr Cost kCost{100, 5};
  explicit PairJaroWinkler(const MetricArguments& arguments) : prefix_weight_(arguments.prefix_weight) {}

  float operator()(UnitRange a, UnitRange b);

  static constexpr int64_t kPlanes = 2, kMaxLaneText = simd::kMaxMatchedText;
  static void compute(const simd::PatternLanes& patterns, const simd::TextRows& texts, int64_t count, int8_t* numbers,
                      int64_t pitch) {
    simd::primitives().lane_matches(patterns, texts, count, numbers, pitch);
  }
  float value(UnitRange text, UnitRange pattern, const int8_t* numbers, int64_t pitch) const {
    return similarity(text, pattern, numbers[0], numbers[pitch]);
  }

 private:
  float similarity(UnitRange a, UnitRange b, int64_t matches, int64_t moved) const;

  const double prefix_weight_;
  UnitNumbers numbers_;
  std::vector<int32_t> first_, next_;  // the first unit of the pattern of each number, and after each unit the next one
  std::vector<uint32_t> matched_;
  std::vector<uint8_t> is_matched_;
  Pace pace_;
};

// The Damerau-Levenshtein distance: the least number of insertions, deletions, substitutions and transpositions of
// adjacent units, where units may be inserted between transposed ones, or deleted.
class PairDamerau : public LimitedDistance {
 public:
  static constexpr Cost kCost{100, 30};
  using LimitedDistance::LimitedDistance;

  int64_t operator()(UnitRange a, UnitRange b);

  static constexpr int64_t kPlanes = 0, kMaxLaneText = 0;
  static void compute(const simd::PatternLanes&, const simd::TextRows&, int64_t, int8_t*, int64_t) {}
  int64_t value(UnitRange, UnitRange, const int8_t*, int64_t) const { return 0; }

 private:
  int64_t of_rows(UnitRange a, UnitRange b);

  UnitNumbers numbers_;
  std::vector<uint32_t> columns_;                  // the numbers of the units of b
  std::vector<int32_t> last_rows_;                 // of each number: the last row of that unit of a
  std::vector<int32_t> row_, row_before_, saved_;  // distances
  Pace pace_;
};

}  // namespace stringops::kernels
