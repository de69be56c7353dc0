// Distances and similarities of strings that broadcast.
#pragma once

#include <cstdint>
#include <optional>

#include "driver/broadcast.h"
#include "driver/runner.h"
#include "driver/zip.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The least number of insertions, deletions and substitutions of units that make one string the other. A unit is a code
// point, where a byte that is not part of one counts as one that differs from all code points; or a byte. Distances
// above `max_distance` become max_distance + 1.
struct EditDistance {
  using Value = int64_t;
  static constexpr Cost kCost{80, 10};
  bool codepoints;
  int64_t max_distance = INT64_MAX;

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const;
};

// 1 - d / (m + n), where d is the distance without substitutions, for sizes m and n.
struct Ratio {
  using Value = float;
  static constexpr Cost kCost{60, 5};
  static constexpr int64_t max_distance = INT64_MAX;
  bool codepoints;

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, float* out) const;
};

// The Jaro-Winkler similarity.
struct JaroWinkler {
  using Value = float;
  static constexpr Cost kCost{100, 5};
  static constexpr int64_t max_distance = INT64_MAX;
  bool codepoints;
  double prefix_weight;

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, float* out) const;
};

// The least number of insertions, deletions, substitutions and transpositions.
struct Damerau {
  using Value = int64_t;
  static constexpr Cost kCost{100, 30};
  bool codepoints;
  int64_t max_distance = INT64_MAX;

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const;
};

// Operands in which each string is compared with each of the other: element t * text_stride + p * pattern_stride of the
// result is the value of string t of `texts` and p of `patterns`.
struct DistanceGrid {
  StringSpan texts;
  StringSpan patterns;
  int64_t text_stride;
  int64_t pattern_stride;
  int64_t max_distance;

  // Returns nothing if the operands broadcast in another way, or one of them has a single string, whose masks
  // zip_strings keeps.
  static std::optional<DistanceGrid> find(const StringSpan& left, const Shape& left_shape, const StringSpan& right,
                                          const Shape& right_shape, int64_t max_distance);

  // Returns the time on one thread.
  double ns() const;

  // The larger operand is divided among tasks.
  int64_t num_parts() const { return std::max(texts.size(), patterns.size()); }
  template <class Kernel>
  void run(const Kernel& kernel, int64_t first, int64_t last, typename Kernel::Value* out) const;
};

// allocate(shape) -> Kernel::Value*.
template <class Kernel, class Allocate>
void compare_pairs(const char* op, const Runner& runner, const Kernel& kernel, const StringSpan& left,
                   const Shape& left_shape, const StringSpan& right, const Shape& right_shape, Allocate&& allocate) {
  const auto grid = DistanceGrid::find(left, left_shape, right, right_shape, kernel.max_distance);
  if (!grid) return zip_strings(op, runner, kernel, left, left_shape, right, right_shape, allocate);
  typename Kernel::Value* const out = allocate(broadcast_shapes(op, left_shape, right_shape));
  runner.run_ranges(grid->num_parts(), grid->ns(),
                    [&](int64_t first, int64_t last) { grid->run(kernel, first, last, out); });
}

}  // namespace stringops::kernels
