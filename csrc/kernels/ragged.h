// Conversion between ragged rows and dense rows of one width.
#pragma once

#include <cstdint>

#include "core/row_splits.h"

namespace stringops::kernels {

// The padding value: the bytes of a scalar, repeated to fill a block.
class Padding {
 public:
  static constexpr int64_t kBlock = 64;

  // `scalar` has a size that divides kBlock: 1, 2, 4, 8 or 16.
  Padding(const uint8_t* scalar, int64_t size);

  // num_bytes is a multiple of the scalar's size.
  void fill(uint8_t* dst, int64_t num_bytes) const;

 private:
  uint8_t block_[kBlock];
};

// Writes rows [first, last) of `dense` from `values`, every byte of them.
void write_ragged_to_dense(const uint8_t* values, const RowSplits& splits, const DenseShape& shape,
                           const Padding& padding, int64_t first, int64_t last, uint8_t* dense);

// Writes rows [first, last) of `values` from `dense`, every byte of them: elements beyond the width of a dense row are
// set to zero.
void write_dense_to_ragged(const uint8_t* dense, const DenseShape& shape, const RowSplits& splits, int64_t first,
                           int64_t last, uint8_t* values);

// Writes rows [first, last) of `mask` [rows, width]: 1 where ragged_to_dense puts an element, 0 where it pads.
void write_ragged_mask(const RowSplits& splits, int64_t width, Side side, int64_t first, int64_t last, uint8_t* mask);

}  // namespace stringops::kernels
