// Two strings -> value, for tensors that broadcast. Broadcasting uses strides, so nothing is repeated in memory.
//
// A kernel has
//
//   using Value                               the dtype of the result
//   static constexpr Cost kCost               what it takes (driver/runner.h)
//   void run(a, b, count, Value* out) const   computes out[i] from strings i of two runs; both are broadcast only if
//   count is 1
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/rows.h"
#include "core/string_span.h"
#include "driver/broadcast.h"
#include "driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Computes elements [first, last) of a result that has the shape of the operands' strings; one string or none is
// broadcast.
template <class Kernel>
void zip_narrow_rows(const Kernel& kernel, const Operand& left, const Operand& right, int64_t first, int64_t last,
                     typename Kernel::Value* out) {
  RowRanges a, b;
  const auto take = [](const Operand& operand, RowRanges& ranges, int64_t i, int64_t end) {
    const StringSpan& span = operand.span;
    if (operand.is_one_string())
      return simd::StringRun{span.data, span.num_bytes, span.offsets, span.offsets + 1, true};
    ranges.take(span, i, end);
    return simd::StringRun{span.data, span.num_bytes, ranges.begins(), ranges.ends(), false};
  };
  for (int64_t i = first; i < last; i += RowRanges::kMaxStrings) {
    const int64_t end = std::min(i + RowRanges::kMaxStrings, last);
    kernel.run(take(left, a, i, end), take(right, b, i, end), end - i, out + i);
  }
}

// Computes elements [first, last) of the result, in row-major order.
template <class Kernel>
void zip_elements(const Kernel& kernel, const Operand& left, const Operand& right, const Shape& shape, int64_t first,
                  int64_t last, typename Kernel::Value* out) {
  const int64_t count = count_elements(shape), cols = shape.back();
  const bool left_is_narrow = left.has_narrow_rows_of(count), right_is_narrow = right.has_narrow_rows_of(count);
  if ((left_is_narrow && (right.is_one_string() || right_is_narrow)) || (left.is_one_string() && right_is_narrow)) {
    return zip_narrow_rows(kernel, left, right, first, last, out);
  }
  for (int64_t i = first; i < last;) {
    const int64_t row = i / cols, col = i % cols, num = std::min(cols - col, last - i);
    const simd::StringRun a = left.run_at(shape, row, col), b = right.run_at(shape, row, col);
    const int64_t different = a.is_broadcast && b.is_broadcast ? 1 : num;
    kernel.run(a, b, different, out + i);
    if (different < num) std::fill_n(out + i + 1, num - 1, out[i]);
    i += num;
  }
}

// allocate(shape) -> Kernel::Value*.
template <class Kernel, class Allocate>
void zip_strings(const char* op, const Runner& runner, const Kernel& kernel, const StringSpan& left,
                 const Shape& left_shape, const StringSpan& right, const Shape& right_shape, Allocate&& allocate) {
  const Shape shape = broadcast_shapes(op, left_shape, right_shape);
  typename Kernel::Value* const out = allocate(shape);
  const int64_t count = count_elements(shape);
  if (count == 0) return;
  const Operand a(left, left_shape, shape.size()), b(right, right_shape, shape.size());
  const double ns = std::max({static_cast<double>(count) * Kernel::kCost.ns_per_string,
                              runner.time_of(left, Kernel::kCost), runner.time_of(right, Kernel::kCost)});
  runner.run_ranges(count, ns,
                    [&](int64_t first, int64_t last) { zip_elements(kernel, a, b, shape, first, last, out); });
}

}  // namespace stringops::kernels
