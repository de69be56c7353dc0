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

#include "core/string_span.h"
#include "driver/broadcast.h"
#include "driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

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
  runner.run_ranges(count, ns, [&](int64_t first, int64_t last) {
    StringsReader reads_a(a, shape), reads_b(b, shape);
    for_each_element_block(shape, first, last, [&](int64_t i, int64_t n) {
      kernel.run(reads_a.read(i, n), reads_b.read(i, n), n, out + i);
    });
  });
}

}  // namespace stringops::kernels
