// The doors of ragged_to_dense and of its backward: checks, allocation, threads.
#include "kernels/ragged_to_dense.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/dense_to_ragged.h"
#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/ragged.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "ragged_to_dense";
constexpr const char* kBackward = "_ragged_to_dense_backward";

kernels::Padding check_padding(const std::optional<Tensor>& padding_value, const Tensor& values) {
  constexpr uint8_t zero[1] = {0};
  if (!padding_value) return {zero, 1};
  check_cpu(kOp, "padding_value", *padding_value);
  check_dtype(kOp, "padding_value", *padding_value, values.scalar_type());
  check_rank(kOp, "padding_value", *padding_value, 0);
  return {const_ptr<uint8_t>(*padding_value), scalar_bytes(values)};
}

// What chooses the width where none is given.
struct WidthLimits {
  std::optional<int64_t> max;
  int64_t min;
  int64_t multiple;
};

void check_width(std::optional<int64_t> width, const WidthLimits& limits) {
  STRINGOPS_CHECK(!width || *width >= 0, kOp, ": expected `width` >= 0 or None, got ", width.value_or(0));
  STRINGOPS_CHECK(!width || (!limits.max && limits.min == 0 && limits.multiple == 1), kOp,
                  ": expected either `width` or its limits (`max_width`, `min_width`, `pad_to_multiple_of`), got both");
  STRINGOPS_CHECK(!limits.max || *limits.max >= 0, kOp, ": expected `max_width` >= 0 or None, got ",
                  limits.max.value_or(0));
  STRINGOPS_CHECK(limits.min >= 0, kOp, ": expected `min_width` >= 0, got ", limits.min);
  STRINGOPS_CHECK(!limits.max || limits.min <= *limits.max, kOp, ": expected `min_width` <= `max_width` (",
                  limits.max.value_or(0), "), got ", limits.min);
  STRINGOPS_CHECK(limits.multiple >= 1, kOp, ": expected `pad_to_multiple_of` >= 1, got ", limits.multiple);
}

int64_t choose_width(const RowSplits& splits, const WidthLimits& limits) {
  const int64_t longest = splits.longest_row();
  const int64_t width = std::max(limits.max ? std::min(longest, *limits.max) : longest, limits.min);
  const int64_t rest = width % limits.multiple;
  int64_t rounded = width;
  if (rest > 0 && __builtin_add_overflow(width, limits.multiple - rest, &rounded)) {
    rounded = std::numeric_limits<int64_t>::max();  // refused, as any width near it
  }
  return rounded;
}

Tensor ragged_to_dense(const Tensor& values_arg, const Tensor& row_splits_arg, std::optional<int64_t> width,
                       std::optional<Tensor> padding_value, const std::string& side_arg,
                       std::optional<int64_t> max_width, int64_t min_width, int64_t pad_to_multiple_of) {
  const WidthLimits limits{max_width, min_width, pad_to_multiple_of};
  check_cpu(kOp, "values", values_arg);
  STRINGOPS_CHECK(values_arg.dim() >= 1, kOp, ": expected `values` of rank >= 1, got a scalar");
  check_row_splits_shape(kOp, row_splits_arg);
  check_width(width, limits);
  const Side side = check_side(kOp, side_arg);
  const kernels::Padding padding = check_padding(padding_value, values_arg);

  const Tensor row_splits = as_contiguous(row_splits_arg);
  const RowSplits splits{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, values_arg.size(0)};
  check_row_splits(kOp, splits, "values");
  const auto sizes = values_arg.sizes();
  Sizes dense_sizes{splits.rows, width ? *width : choose_width(splits, limits)};
  dense_sizes.insert(dense_sizes.end(), sizes.begin() + 1, sizes.end());
  check_padded_size(kOp, splits.rows, dense_sizes[1]);
  check_result_sizes(kOp, dense_sizes, scalar_bytes(values_arg));
  const Tensor values = as_contiguous(values_arg);
  Tensor dense = new_tensor(dense_sizes, values.scalar_type());

  const DenseShape shape{dense_sizes[1], element_bytes(values, 1), side};
  const int64_t tasks = choose_tasks(splits.rows * shape.width * shape.element_bytes);
  parallel_tasks(tasks, [&](int64_t t) {
    kernels::write_ragged_to_dense(const_ptr<uint8_t>(values), splits, shape, padding, splits.rows * t / tasks,
                                   splits.rows * (t + 1) / tasks, mutable_ptr<uint8_t>(dense));
  });
  return dense;
}

Tensor ragged_to_dense_backward(const Tensor& grad_arg, const Tensor& row_splits_arg, int64_t num_values,
                                const std::string& side_arg) {
  check_cpu(kBackward, "grad", grad_arg);
  STRINGOPS_CHECK(grad_arg.dim() >= 2, kBackward, ": expected `grad` of rank >= 2, got shape ", shape_text(grad_arg));
  check_row_splits_shape(kBackward, row_splits_arg);
  STRINGOPS_CHECK(row_splits_arg.size(0) - 1 == grad_arg.size(0), kBackward, ": expected `row_splits` of shape [",
                  grad_arg.size(0) + 1, "] for `grad` of shape ", shape_text(grad_arg), ", got shape ",
                  shape_text(row_splits_arg));
  STRINGOPS_CHECK(num_values >= 0, kBackward, ": expected `num_values` >= 0, got ", num_values);
  const Side side = check_side(kBackward, side_arg);

  const Tensor grad = as_contiguous(grad_arg), row_splits = as_contiguous(row_splits_arg);
  // A private copy, since rows that changed between check and use would leave bytes of the result unwritten.
  const int64_t* const shared = const_ptr<int64_t>(row_splits);
  const std::vector<int64_t> own(shared, shared + row_splits.numel());
  const RowSplits splits{own.data(), grad.size(0), num_values};
  check_row_splits(kBackward, splits, "values");
  const auto sizes = grad.sizes();
  Sizes values_sizes{num_values};
  values_sizes.insert(values_sizes.end(), sizes.begin() + 2, sizes.end());
  check_result_sizes(kBackward, values_sizes, scalar_bytes(grad));
  Tensor values = new_tensor(values_sizes, grad.scalar_type());

  const DenseShape shape{grad.size(1), element_bytes(grad, 2), side};
  const int64_t tasks = choose_tasks(num_values * shape.element_bytes);
  parallel_tasks(tasks, [&](int64_t t) {
    kernels::write_dense_to_ragged(const_ptr<uint8_t>(grad), shape, splits, splits.rows * t / tasks,
                                   splits.rows * (t + 1) / tasks, mutable_ptr<uint8_t>(values));
  });
  return values;
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def(
      "ragged_to_dense(Tensor values, Tensor row_splits, SymInt? width=None, Tensor? padding_value=None, "
      "str side=\"right\", *, SymInt? max_width=None, SymInt min_width=0, SymInt pad_to_multiple_of=1) "
      "-> Tensor dense");
  m.def("_ragged_to_dense_backward(Tensor grad, Tensor row_splits, SymInt num_values, str side) -> Tensor values");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("ragged_to_dense", STRINGOPS_BOX(&stringops::ragged_to_dense));
  m.impl("_ragged_to_dense_backward", STRINGOPS_BOX(&stringops::ragged_to_dense_backward));
}
