#include "ops/row_splits.h"

#include <string>

namespace stringops {

void check_row_splits_shape(const char* op, const Tensor& row_splits) {
  check_cpu(op, "row_splits", row_splits);
  check_dtype(op, "row_splits", row_splits, ScalarType::Long);
  STRINGOPS_CHECK(row_splits.dim() == 1 && row_splits.size(0) >= 1, op,
                  ": expected `row_splits` of shape [n + 1] with n >= 0, got shape ", shape_text(row_splits));
  check_count(op, "row_splits", row_splits);
}

void check_row_splits(const char* op, const RowSplits& splits, const char* values) {
  if (const auto bad = find_bad_row_split(splits)) {
    std::string range = " from 0";
    if (values) range += " to " + std::to_string(splits.num_values) + " (" + values + ")";
    const std::string after = bad->position == 0 ? std::string() : " after " + std::to_string(bad->previous);
    fail(op, ": expected `row_splits` non-decreasing", range, ", got ", bad->value, after, " at position ",
         bad->position);
  }
}

}  // namespace stringops
