// Ragged rows of strings padded to one width, as a selection of kernels/gather.h: of each row the strings that are
// kept, and the padding as often as it is missing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/row_splits.h"
#include "kernels/gather.h"

namespace stringops::kernels {

// Rows of `width` elements, each of `features` strings.
struct PaddedRows {
  static constexpr bool kSingle = false, kInOrder = true;
  const StringSpan& values;
  const RowSplits& splits;
  int64_t width;
  int64_t features;
  Side side;
  const StringSpan& padding;  // one string

  int64_t num_items() const { return splits.rows; }

  // The elements that rows lack.
  int64_t num_missing(int64_t first, int64_t last) const {
    int64_t missing = 0;
    for (int64_t r = first; r < last; ++r) missing += width - std::min(splits.row(r).size(), width);
    return missing;
  }

  template <class F>
  void for_each_run(int64_t first, int64_t last, F&& f) const {
    for (int64_t r = first; r < last; ++r) {
      const ElementRange kept = kept_of(r);
      const int64_t missing = (width - kept.size()) * features;
      const auto pad = [&] {
        for (int64_t i = 0; i < missing; ++i) f(run_of(padding, 0));
      };
      if (side == Side::kLeft) pad();
      if (kept.size() > 0) f(run_of(values, kept.begin * features, kept.size() * features));
      if (side == Side::kRight) pad();
    }
  }

 private:
  ElementRange kept_of(int64_t r) const {
    const ElementRange row = splits.row(r);
    const int64_t count = std::min(row.size(), width);
    return side == Side::kRight ? ElementRange{row.begin, row.begin + count} : ElementRange{row.end - count, row.end};
  }
};

}  // namespace stringops::kernels
