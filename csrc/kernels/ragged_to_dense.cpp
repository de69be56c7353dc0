#include "kernels/ragged_to_dense.h"

#include <algorithm>
#include <cstring>

namespace stringops::kernels {
Padding::Padding(const uint8_t* scalar, int64_t size) {
  for (int64_t i = 0; i < kBlock; ++i) block_[i] = scalar[i % size];
  uniform_ = std::all_of(block_, block_ + kBlock, [this](uint8_t byte) { return byte == block_[0]; });
}

void Padding::fill(uint8_t* dst, int64_t num_bytes) const {
  if (num_bytes <= 0) return;
  if (uniform_) {
    std::memset(dst, block_[0], static_cast<size_t>(num_bytes));
    return;
  }
  for (; num_bytes >= kBlock; dst += kBlock, num_bytes -= kBlock) std::memcpy(dst, block_, kBlock);
  copy_bytes(dst, block_, num_bytes);
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

}  // namespace stringops::kernels
