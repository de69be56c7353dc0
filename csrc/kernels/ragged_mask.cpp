#include "kernels/ragged_mask.h"

#include <algorithm>

#include "core/narrow.h"

namespace stringops::kernels {

void write_ragged_mask(const RowSplits& splits, int64_t width, Side side, int64_t first, int64_t last, uint8_t* mask) {
  for (int64_t r = first; r < last; ++r) {
    const int64_t kept = std::min(splits.row(r).size(), width);
    uint8_t* const row = mask + r * width;
    const int64_t border = side == Side::kRight ? kept : width - kept;
    const uint8_t before = side == Side::kRight ? 1 : 0;
    std::fill_n(row, border, before);
    std::fill_n(row + border, width - border, narrow<uint8_t>(1 - before));
  }
}

}  // namespace stringops::kernels
