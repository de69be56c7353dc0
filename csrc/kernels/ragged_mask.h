// Which cells of the dense form of ragged rows hold an element. No torch here.
#pragma once

#include <cstdint>

#include "core/dense_rows.h"
#include "core/row_splits.h"

namespace stringops::kernels {

// Rows [first, last) of `mask` [rows, width]: 1 where ragged_to_dense puts an element, 0 where it pads.
void write_ragged_mask(const RowSplits& splits, int64_t width, Side side, int64_t first, int64_t last, uint8_t* mask);

}  // namespace stringops::kernels
