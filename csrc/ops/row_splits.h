// Validation of row splits.
#pragma once

#include "core/row_splits.h"
#include "ops/check.h"

namespace stringops {

void check_row_splits_shape(const char* op, const Tensor& row_splits);

// `values` is the noun for the elements of the rows, for the error; null if the rows have no elements.
void check_row_splits(const char* op, const RowSplits& splits, const char* values);

}  // namespace stringops
