// Distances and similarities of strings that broadcast.
#pragma once

#include <cstdint>
#include <optional>

#include "driver/broadcast.h"
#include "driver/runner.h"
#include "driver/zip.h"
#include "kernels/compare_edit_metrics.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The values of a metric. A unit is a code point, where a byte that is not part of one counts as one that differs from
// all code points; or a byte.
template <class Metric>
struct PairKernel {
  using Value = typename Metric::Value;
  static constexpr Cost kCost = Metric::kCost;

  MetricArguments arguments;

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, Value* out) const;
};

using EditDistance = PairKernel<PairDistance>;
using Ratio = PairKernel<PairRatio>;
using JaroWinkler = PairKernel<PairJaroWinkler>;
using Damerau = PairKernel<PairDamerau>;

// Operands in which each string is compared with each of the other: element t * text_stride + p * pattern_stride of the
// result is the value of string t of `texts` and p of `patterns`.
struct DistanceGrid {
  StringSpan texts;
  StringSpan patterns;
  int64_t text_stride;
  int64_t pattern_stride;
  int64_t max_distance;

  // Returns nothing if the operands broadcast in another way, or both have a single string.
  static std::optional<DistanceGrid> find(const StringSpan& left, const Shape& left_shape, const StringSpan& right,
                                          const Shape& right_shape, int64_t max_distance);

  // Returns the time on one thread.
  double ns() const;

  // The larger operand is divided among tasks.
  int64_t num_parts() const { return std::max(texts.size(), patterns.size()); }
  template <class Metric>
  void run(const PairKernel<Metric>& kernel, int64_t first, int64_t last, typename Metric::Value* out) const;
};

// allocate(shape) -> Kernel::Value*.
template <class Kernel, class Allocate>
void compare_pairs(const char* op, const Runner& runner, const Kernel& kernel, const StringSpan& left,
                   const Shape& left_shape, const StringSpan& right, const Shape& right_shape, Allocate&& allocate) {
  const auto grid = DistanceGrid::find(left, left_shape, right, right_shape, kernel.arguments.max_distance);
  if (!grid) return zip_strings(op, runner, kernel, left, left_shape, right, right_shape, allocate);
  typename Kernel::Value* const out = allocate(broadcast_shapes(op, left_shape, right_shape));
  runner.run_ranges(grid->num_parts(), grid->ns(),
                    [&](int64_t first, int64_t last) { grid->run(kernel, first, last, out); });
}

}  // namespace stringops::kernels
