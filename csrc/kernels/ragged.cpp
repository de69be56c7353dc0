#include "kernels/ragged.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"

namespace stringops::kernels {

Padding::Padding(const uint8_t* scalar, int64_t size) {
  for (int64_t i = 0; i < kBlock; ++i) block_[i] = scalar[i % size];
}

void Padding::fill(uint8_t* dst, int64_t num_bytes) const {
  for (; num_bytes > 0; dst += kBlock, num_bytes -= kBlock) copy_bytes(dst, block_, std::min(num_bytes, kBlock));
}

void write_ragged_to_dense(const uint8_t* values, const RowSplits& splits, const DenseShape& shape,
                           const Padding& padding, int64_t first, int64_t last, uint8_t* dense) {
  const int64_t row_bytes = shape.width * shape.element_bytes;
  for (int64_t r = first; r < last; ++r) {
    const ElementRange row = splits.row(r);
    const int64_t kept = std::min(row.size(), shape.width);
    const int64_t kept_bytes = kept * shape.element_bytes;
    uint8_t* const dst = dense + r * row_bytes;
    if (shape.side == Side::kRight) {
      copy_bytes(dst, values + row.begin * shape.element_bytes, kept_bytes);
      padding.fill(dst + kept_bytes, row_bytes - kept_bytes);
    } else {
      padding.fill(dst, row_bytes - kept_bytes);
      copy_bytes(dst + row_bytes - kept_bytes, values + (row.end - kept) * shape.element_bytes, kept_bytes);
    }
  }
}

void write_dense_to_ragged(const uint8_t* dense, const DenseShape& shape, const RowSplits& splits, int64_t first,
                           int64_t last, uint8_t* values) {
  constexpr uint8_t kZero = 0;
  const Padding zeros(&kZero, 1);
  const int64_t row_bytes = shape.width * shape.element_bytes;
  for (int64_t r = first; r < last; ++r) {
    const ElementRange row = splits.row(r);
    const int64_t kept_bytes = std::min(row.size(), shape.width) * shape.element_bytes;
    const int64_t cut_bytes = row.size() * shape.element_bytes - kept_bytes;
    const uint8_t* const src = dense + r * row_bytes;
    uint8_t* const dst = values + row.begin * shape.element_bytes;
    if (shape.side == Side::kRight) {
      copy_bytes(dst, src, kept_bytes);
      zeros.fill(dst + kept_bytes, cut_bytes);
    } else {
      zeros.fill(dst, cut_bytes);
      copy_bytes(dst + cut_bytes, src + row_bytes - kept_bytes, kept_bytes);
    }
  }
}

void write_ragged_mask(const RowSplits& splits, int64_t width, Side side, int64_t first, int64_t last, uint8_t* mask) {
  for (int64_t r = first; r < last; ++r) {
    const int64_t kept = std::min(splits.row(r).size(), width);
    uint8_t* const row = mask + r * width;
    const int64_t boundary = side == Side::kRight ? kept : width - kept;
    const uint8_t before = side == Side::kRight ? 1 : 0;
    std::fill_n(row, boundary, before);
    std::fill_n(row + boundary, width - boundary, narrow<uint8_t>(1 - before));
  }
}

}  // namespace stringops::kernels
