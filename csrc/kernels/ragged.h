// Between ragged rows, one after the other, and rows of one width.
#pragma once

#include <cstdint>

#include "core/dense_rows.h"
#include "core/row_splits.h"

namespace stringops::kernels {

// What an absent element looks like: a scalar's bytes, repeated to fill a block.
class Padding {
 public:
  static constexpr int64_t kBlock = 64;

  // `scalar` has a size that divides kBlock: 1, 2, 4, 8 or 16.
  Padding(const uint8_t* scalar, int64_t size);

  // num_bytes is a multiple of the scalar's size.
  void fill(uint8_t* dst, int64_t num_bytes) const;

 private:
  uint8_t block_[kBlock];
  bool uniform_;  // every byte equal: memset will do
};

// Rows [first, last) of `dense`, from `values`. Every byte of those rows is written.
void write_ragged_to_dense(const uint8_t* values, const RowSplits& splits, const DenseShape& shape,
                           const Padding& padding, int64_t first, int64_t last, uint8_t* dense);

// Rows [first, last) of `values`, from `dense`. Elements that a dense row has no place for are zero, so that every byte
// is written.
void write_dense_to_ragged(const uint8_t* dense, const DenseShape& shape, const RowSplits& splits, int64_t first,
                           int64_t last, uint8_t* values);

// Rows [first, last) of `mask` [rows, width]: 1 where ragged_to_dense puts an element, 0 where it pads.
void write_ragged_mask(const RowSplits& splits, int64_t width, Side side, int64_t first, int64_t last, uint8_t* mask);

}  // namespace stringops::kernels
