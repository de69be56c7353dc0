// Rows of one width back to ragged rows, one after the other. No torch here.
#pragma once

#include <cstdint>

#include "core/dense_rows.h"
#include "core/row_splits.h"

namespace stringops::kernels {

// Rows [first, last) of `values`, from `dense`. Elements that a dense row has no place for are zero, so that every byte
// is written.
void write_dense_to_ragged(const uint8_t* dense, const DenseShape& shape, const RowSplits& splits, int64_t first,
                           int64_t last, uint8_t* values);

}  // namespace stringops::kernels
