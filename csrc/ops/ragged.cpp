// Converts between ragged rows and dense rows: ragged_to_dense, its backward, dense_to_ragged, ragged_mask.
#include "kernels/ragged.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "ops/dense_width.h"
#include "ops/packaged.h"
#include "ops/row_splits.h"

namespace stringops {
namespace {

int64_t scalar_bytes(const Tensor& t) {
  return static_cast<int64_t>(
      aoti_torch_dtype_element_size(torch::stable::detail::to<int32_t>(torch::stable::detail::from(t.scalar_type()))));
}

// Rejects sizes whose strides or bytes would exceed int64. An empty dimension counts as 1, as it does in the strides.
void check_result_sizes(const char* op, const Sizes& sizes, int64_t scalar_bytes) {
  int64_t bytes = scalar_bytes;
  for (const int64_t size : sizes) {
    STRINGOPS_CHECK(!__builtin_mul_overflow(bytes, size > 1 ? size : 1, &bytes), op, ": expected a result of at most ",
                    "2**63 - 1 bytes, got shape ", shape_text(sizes));
  }
}

// Returns the bytes of one element: those of a scalar, times the features, which are the dimensions of t from `dim` on.
int64_t element_bytes(const Tensor& t, int64_t dim) {
  int64_t bytes = scalar_bytes(t);
  for (; dim < t.dim(); ++dim) bytes *= t.size(dim);
  return bytes;
}

kernels::Padding check_padding(const char* op, const std::optional<Tensor>& padding_value, const Tensor& values) {
  constexpr uint8_t zero[1] = {0};
  if (!padding_value) return {zero, 1};
  check_cpu(op, "padding_value", *padding_value);
  check_dtype(op, "padding_value", *padding_value, values.scalar_type());
  check_rank(op, "padding_value", *padding_value, 0);
  return {const_ptr<uint8_t>(*padding_value), scalar_bytes(values)};
}

// Returns the row splits of rows of these lengths. Reads each length once.
Tensor splits_of_lengths(const char* op, const Tensor& lengths_arg, int64_t width) {
  const Tensor lengths = as_contiguous(lengths_arg);
  const int64_t rows = lengths.size(0);
  Tensor row_splits = new_tensor({rows + 1}, ScalarType::Long);
  const int64_t* const in = const_ptr<int64_t>(lengths);
  int64_t* const out = mutable_ptr<int64_t>(row_splits);
  out[0] = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t length = in[r];
    STRINGOPS_CHECK(length >= 0 && length <= width, op, ": expected `lengths` within [0, ", width,
                    "] (columns of `dense`), got ", length, " at row ", r);
    STRINGOPS_CHECK(!__builtin_add_overflow(out[r], length, &out[r + 1]), op,
                    ": expected `lengths` of at most 2**63 - 1 elements in all, got more at row ", r);
  }
  return row_splits;
}

// Estimates the time of copying rows of so many bytes in all on one thread, in nanoseconds.
double time_of(int64_t rows, int64_t num_bytes) {
  return 5 * static_cast<double>(rows) + 0.1 * static_cast<double>(num_bytes);
}

// Concatenates the rows of `dense`, each with as many elements as `splits` says.
Tensor make_ragged(const char* op, const Tensor& dense, const RowSplits& splits, Side side) {
  const auto sizes = dense.sizes();
  Sizes values_sizes{splits.num_values};
  values_sizes.insert(values_sizes.end(), sizes.begin() + 2, sizes.end());
  check_result_sizes(op, values_sizes, scalar_bytes(dense));
  Tensor values = new_tensor(values_sizes, dense.scalar_type());
  const DenseShape shape{dense.size(1), element_bytes(dense, 2), side};
  TorchRunner().run_ranges(splits.rows, time_of(splits.rows, splits.num_values * shape.element_bytes),
                           [&](int64_t first, int64_t last) {
                             kernels::write_dense_to_ragged(const_ptr<uint8_t>(dense), shape, splits, first, last,
                                                            mutable_ptr<uint8_t>(values));
                           });
  return values;
}

Tensor ragged_to_dense(const Tensor& values_arg, const Tensor& row_splits_arg, std::optional<int64_t> width,
                       std::optional<Tensor> padding_value, const std::string& side_arg,
                       std::optional<int64_t> max_width, int64_t min_width, int64_t pad_to_multiple_of) {
  constexpr const char* kOp = __func__;
  const WidthLimits limits{max_width, min_width, pad_to_multiple_of};
  check_cpu(kOp, "values", values_arg);
  STRINGOPS_CHECK(values_arg.dim() >= 1, kOp, ": expected `values` of rank >= 1, got a scalar");
  check_row_splits_shape(kOp, row_splits_arg);
  check_width(kOp, width, limits);
  const Side side = check_side(kOp, side_arg);
  const kernels::Padding padding = check_padding(kOp, padding_value, values_arg);

  const Tensor row_splits = as_contiguous(row_splits_arg);
  const RowSplits splits{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, values_arg.size(0)};
  check_row_splits(kOp, splits, "rows of `values`");
  const auto sizes = values_arg.sizes();
  Sizes dense_sizes{splits.rows, width ? *width : choose_width(splits, limits)};
  dense_sizes.insert(dense_sizes.end(), sizes.begin() + 1, sizes.end());
  check_padded_size(kOp, splits.rows, dense_sizes[1]);
  check_result_sizes(kOp, dense_sizes, scalar_bytes(values_arg));
  const Tensor values = as_contiguous(values_arg);
  Tensor dense = new_tensor(dense_sizes, values.scalar_type());

  const DenseShape shape{dense_sizes[1], element_bytes(values, 1), side};
  const double ns = time_of(splits.rows, splits.rows * shape.width * shape.element_bytes);
  TorchRunner().run_ranges(splits.rows, ns, [&](int64_t first, int64_t last) {
    kernels::write_ragged_to_dense(const_ptr<uint8_t>(values), splits, shape, padding, first, last,
                                   mutable_ptr<uint8_t>(dense));
  });
  return dense;
}

Tensor _ragged_to_dense_backward(const Tensor& grad_arg, const Tensor& row_splits_arg, int64_t num_values,
                                 const std::string& side_arg) {
  constexpr const char* kOp = __func__;
  check_cpu(kOp, "grad", grad_arg);
  STRINGOPS_CHECK(grad_arg.dim() >= 2, kOp, ": expected `grad` of rank >= 2, got shape ", shape_text(grad_arg));
  check_row_splits_shape(kOp, row_splits_arg);
  STRINGOPS_CHECK(row_splits_arg.size(0) - 1 == grad_arg.size(0), kOp, ": expected `row_splits` of shape [",
                  grad_arg.size(0) + 1, "] for `grad` of shape ", shape_text(grad_arg), ", got shape ",
                  shape_text(row_splits_arg));
  STRINGOPS_CHECK(num_values >= 0, kOp, ": expected `num_values` >= 0, got ", num_values);
  const Side side = check_side(kOp, side_arg);

  const Tensor grad = as_contiguous(grad_arg), row_splits = as_contiguous(row_splits_arg);
  // The row splits are copied, so that no bytes of the result stay unwritten if they change.
  const int64_t* const shared = const_ptr<int64_t>(row_splits);
  const std::vector<int64_t> own(shared, shared + row_splits.numel());
  const RowSplits splits{own.data(), grad.size(0), num_values};
  check_row_splits(kOp, splits, "rows of `values`");
  return make_ragged(kOp, grad, splits, side);
}

std::tuple<Tensor, Tensor> dense_to_ragged(const Tensor& dense_arg, const Tensor& lengths,
                                           const std::string& side_arg) {
  constexpr const char* kOp = __func__;
  check_cpu(kOp, "dense", dense_arg);
  STRINGOPS_CHECK(dense_arg.dim() >= 2, kOp, ": expected `dense` of shape [rows, columns, ...], got shape ",
                  shape_text(dense_arg));
  check_cpu(kOp, "lengths", lengths);
  check_dtype(kOp, "lengths", lengths, ScalarType::Long);
  STRINGOPS_CHECK(lengths.dim() == 1 && lengths.size(0) == dense_arg.size(0), kOp, ": expected `lengths` of shape [",
                  dense_arg.size(0), "] (rows of `dense`), got shape ", shape_text(lengths));
  check_count(kOp, "lengths", lengths);
  const Side side = check_side(kOp, side_arg);

  Tensor row_splits = splits_of_lengths(kOp, lengths, dense_arg.size(1));
  const Tensor dense = as_contiguous(dense_arg);
  const int64_t* const own = const_ptr<int64_t>(row_splits);
  const RowSplits splits{own, dense.size(0), own[dense.size(0)]};
  return {make_ragged(kOp, dense, splits, side), std::move(row_splits)};
}

Tensor ragged_mask(const Tensor& row_splits_arg, std::optional<int64_t> width_arg, const std::string& side_arg) {
  constexpr const char* kOp = __func__;
  check_row_splits_shape(kOp, row_splits_arg);
  STRINGOPS_CHECK(!width_arg || *width_arg >= 0, kOp, ": expected `width` >= 0 or None, got ", width_arg.value_or(0));
  const Side side = check_side(kOp, side_arg);

  const Tensor row_splits = as_contiguous(row_splits_arg);
  const int64_t rows = row_splits.size(0) - 1;
  const int64_t* const in = const_ptr<int64_t>(row_splits);
  const RowSplits splits{in, rows, in[rows] > 0 ? in[rows] : 0};
  check_row_splits(kOp, splits, nullptr);
  const int64_t width = width_arg ? *width_arg : splits.longest_row();
  check_padded_size(kOp, rows, width);
  Tensor mask = new_tensor({rows, width}, ScalarType::Bool);
  TorchRunner().run_ranges(rows, time_of(rows, rows * width), [&](int64_t first, int64_t last) {
    kernels::write_ragged_mask(splits, width, side, first, last, mutable_ptr<uint8_t>(mask));
  });
  return mask;
}

// Returns the lengths of rows over `num_values` elements. `op` is the function that errors name.
Tensor _ragged_lengths(const Tensor& row_splits_arg, int64_t num_values, const std::string& op) {
  check_row_splits_shape(op.c_str(), row_splits_arg);
  STRINGOPS_CHECK(num_values >= 0, op, ": expected `num_values` >= 0, got ", num_values);
  const Tensor row_splits = as_contiguous(row_splits_arg);
  const RowSplits splits{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, num_values};
  check_row_splits(op.c_str(), splits, "rows of `values`");
  Tensor lengths = new_tensor({splits.rows}, ScalarType::Long);
  int64_t* const out = mutable_ptr<int64_t>(lengths);
  for (int64_t r = 0; r < splits.rows; ++r) out[r] = splits.row(r).size();
  return lengths;
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(_ragged_lengths, "(Tensor row_splits, SymInt num_values, str op) -> Tensor lengths", "int64")
STRINGOPS_DIFFERENTIABLE(
    ragged_to_dense,
    "(Tensor values, Tensor row_splits, SymInt? width=None, Tensor? padding_value=None,"
    " str side=\"right\", *, SymInt? max_width=None, SymInt min_width=0, SymInt pad_to_multiple_of=1)"
    " -> Tensor dense",
    "any")
STRINGOPS_DIFFERENTIABLE(_ragged_to_dense_backward,
                         "(Tensor grad, Tensor row_splits, SymInt num_values, str side) -> Tensor values", "any")
STRINGOPS_DIFFERENTIABLE(dense_to_ragged,
                         "(Tensor dense, Tensor lengths, str side=\"right\") -> (Tensor values, Tensor row_splits)",
                         "any int64")
STRINGOPS_OPERATOR(ragged_mask, "(Tensor row_splits, SymInt? width=None, str side=\"right\") -> Tensor mask", "bool")
