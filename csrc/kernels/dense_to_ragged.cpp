#include "kernels/dense_to_ragged.h"

#include <algorithm>
#include <cstring>

namespace stringops::kernels {
namespace {

void clear_bytes(uint8_t* dst, int64_t num_bytes) {
  if (num_bytes > 0) std::memset(dst, 0, static_cast<size_t>(num_bytes));
}

}  // namespace

void write_dense_to_ragged(const uint8_t* dense, const DenseShape& shape, const RowSplits& splits, int64_t first,
                           int64_t last, uint8_t* values) {
  const int64_t row_bytes = shape.width * shape.element_bytes;
  for (int64_t r = first; r < last; ++r) {
    const ElementRange row = splits.row(r);
    const int64_t kept_bytes = std::min(row.size(), shape.width) * shape.element_bytes;
    const int64_t cut_bytes = row.size() * shape.element_bytes - kept_bytes;
    const uint8_t* const src = dense + r * row_bytes;
    uint8_t* const dst = values + row.begin * shape.element_bytes;
    if (shape.side == Side::kRight) {
      copy_bytes(dst, src, kept_bytes);
      clear_bytes(dst + kept_bytes, cut_bytes);
    } else {
      clear_bytes(dst, cut_bytes);
      copy_bytes(dst + cut_bytes, src + row_bytes - kept_bytes, kept_bytes);
    }
  }
}

}  // namespace stringops::kernels
