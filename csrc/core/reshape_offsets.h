// Rewrites the offsets of strings for rows of another length. Strings of a row share the offsets between them, so the
// strings of a new row must be adjacent in the data.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/rows.h"
#include "core/string_span.h"

namespace stringops {

// Writes the offsets of strings in rows of `cols`.
class RowsWriter {
 public:
  RowsWriter(int32_t* out, int64_t cols) : at_(out), cols_(cols) {}

  // Appends strings that are adjacent; string k has the bytes from offsets[k] to offsets[k + 1]. Returns false if they
  // continue a row that does not end where they begin.
  bool append(const int32_t* offsets, int64_t count) {
    if (col_ > 0) {
      if (*at_ != *offsets) return false;
      append_in_row(offsets, std::min(count, cols_ - col_));
      offsets += taken_;
      count -= taken_;
    }
    const int64_t rows = count / cols_;
    cols_ == 1   ? append_rows<1>(offsets, 1, rows)
    : cols_ == 2 ? append_rows<2>(offsets, 2, rows)
                 : append_rows<0>(offsets, cols_, rows);
    const int64_t rest = count - rows * cols_;
    if (rest == 0) return true;
    offsets += rows * cols_;
    *at_ = *offsets;
    append_in_row(offsets, rest);
    return true;
  }

 private:
  void append_in_row(const int32_t* offsets, int64_t count) {
    at_ = std::copy_n(offsets + 1, count, at_ + 1) - 1;
    taken_ = count;
    col_ += count;
    if (col_ < cols_) return;
    col_ = 0;
    ++at_;
  }

  // kCols is `cols`, or 0.
  template <int64_t kCols>
  void append_rows(const int32_t* offsets, int64_t cols, int64_t rows) {
    if constexpr (kCols > 0) cols = kCols;
    int32_t* __restrict out = at_;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c <= cols; ++c) out[r * (cols + 1) + c] = offsets[r * cols + c];
    }
    at_ += rows * (cols + 1);
  }

  int32_t* at_;  // the last offset of the row that is begun, or the first one of the next row
  const int64_t cols_;
  int64_t col_ = 0;  // strings of the row that is begun
  int64_t taken_ = 0;
};

// Writes the offsets of the same strings in rows of `cols` to `out`, which has room for all of them. Returns false if
// strings of a new row are not adjacent; what `out` holds is then undefined.
inline bool reshape_offsets(const StringSpan& s, int32_t* out, int64_t cols) {
  if (s.size() == 0 || cols == 0) return false;
  RowsWriter writer(out, cols);
  if (JoinedRows::serve(s)) {
    JoinedRows rows;
    for (int64_t first = 0; first < s.size();) {
      const int64_t count = rows.take(s, first, s.size());
      if (!writer.append(rows.offsets(), count)) return false;
      first += count;
    }
    return true;
  }
  for (int64_t row = 0; row < s.rows; ++row) {
    if (!writer.append(s.row_offsets(row), s.cols)) return false;
  }
  return true;
}

}  // namespace stringops
