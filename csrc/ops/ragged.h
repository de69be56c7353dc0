// The doors that the operators between ragged and dense share: row splits, the side of the padding, sizes in bytes.
#pragma once

#include <string>

#include "core/dense_rows.h"
#include "core/row_splits.h"
#include "ops/check.h"
#include "ops/stable_abi.h"

namespace stringops {

inline Side check_side(const char* op, const std::string& side) {
  const bool left = side == "left";
  if (!left && side != "right") fail_choice(op, "side", "'left' or 'right'", side);
  return left ? Side::kLeft : Side::kRight;
}

inline void check_row_splits_shape(const char* op, const Tensor& row_splits) {
  check_cpu(op, "row_splits", row_splits);
  check_dtype(op, "row_splits", row_splits, ScalarType::Long);
  STRINGOPS_CHECK(row_splits.dim() == 1 && row_splits.size(0) >= 1, op,
                  ": expected `row_splits` of shape [n + 1] with n >= 0, got shape ", shape_text(row_splits));
  check_count(op, "row_splits", row_splits);
}

// `values_name` names what the rows are cut from; nullptr where that is not among the arguments.
inline void check_row_splits(const char* op, const RowSplits& splits, const char* values_name) {
  if (const auto bad = find_bad_row_split(splits)) {
    std::string range = " from 0";
    if (values_name) range += " to " + std::to_string(splits.num_values) + " (rows of `" + values_name + "`)";
    const std::string after = bad->position == 0 ? std::string() : " after " + std::to_string(bad->previous);
    fail(op, ": expected `row_splits` non-decreasing", range, ", got ", bad->value, after, " at position ",
         bad->position);
  }
}

inline int64_t scalar_bytes(const Tensor& t) {
  return static_cast<int64_t>(
      aoti_torch_dtype_element_size(torch::stable::detail::to<int32_t>(torch::stable::detail::from(t.scalar_type()))));
}

// Refused before anything of that size is allocated: sizes whose strides or bytes have no int64. An empty dimension
// counts as one, since the strides do not shrink with it.
inline void check_result_sizes(const char* op, const Sizes& sizes, int64_t scalar_bytes) {
  int64_t bytes = scalar_bytes;
  for (const int64_t size : sizes) {
    STRINGOPS_CHECK(!__builtin_mul_overflow(bytes, size > 1 ? size : 1, &bytes), op, ": expected a result of at most ",
                    "2**63 - 1 bytes, got shape ", shape_text(sizes));
  }
}

// One long row beside many short ones makes a dense tensor of almost nothing but padding, larger than any memory.
inline void check_padded_size(const char* op, int64_t rows, int64_t width) {
  int64_t elements = 0;
  STRINGOPS_CHECK(!__builtin_mul_overflow(rows, width, &elements) && elements <= kMaxOffsets, op, ": padding ", rows,
                  " rows to ", width, " elements needs more than ", kMaxOffsets,
                  " (keep the rows ragged, or pass a smaller `width`)");
}

// Bytes of one element: a scalar's, times its features, which are t's dimensions from `dim` on.
inline int64_t element_bytes(const Tensor& t, int64_t dim) {
  int64_t bytes = scalar_bytes(t);
  for (; dim < t.dim(); ++dim) bytes *= t.size(dim);
  return bytes;
}

}  // namespace stringops
