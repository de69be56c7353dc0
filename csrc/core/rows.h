// Iteration over strings [first, last) of a tensor of shape [rows, cols], in row-major order: reading the strings of a
// span, and writing offsets.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/narrow.h"
#include "core/string_span.h"

namespace stringops {

// Calls f(index, offsets, count) for each run of strings in one row: string index + k has the bytes from offsets[k] to
// offsets[k + 1], 0 <= k < count. The offsets are those of the tensor, neither copied nor clamped.
template <class F>
inline void for_each_run(const StringSpan& s, int64_t first, int64_t last, F&& f) {
  if (first >= last) return;
  int64_t row = first / s.cols, col = first % s.cols;
  while (first < last) {
    const int64_t count = std::min(last - first, s.cols - col);
    f(first, s.row_offsets(row++) + col, count);
    first += count;
    col = 0;
  }
}

// The number of bytes of strings [first, last). The strings of a row are adjacent.
inline int64_t count_bytes(const StringSpan& s, int64_t first, int64_t last) {
  int64_t num_bytes = 0;
  for_each_run(s, first, last, [&](int64_t, const int32_t* offsets, int64_t count) {
    num_bytes += std::max<int64_t>(0, int64_t{offsets[count]} - offsets[0]);  // negative only after a concurrent write
  });
  return num_bytes;
}

// Calls f(index, range) for each string; ranges are within the data for any offsets.
template <class F>
inline void for_each_string(const StringSpan& s, int64_t first, int64_t last, F&& f) {
  for_each_run(s, first, last, [&](int64_t index, const int32_t* offsets, int64_t count) {
    for (int64_t k = 0; k < count; ++k) f(index + k, s.range_at(offsets + k));
  });
}

// Writes the offsets of strings [first, ...) to a tensor of `cols` strings per row.
class OffsetsWriter {
 public:
  OffsetsWriter(int32_t* offsets, int64_t cols, int64_t first = 0)
      : at_(cols ? offsets + first / cols * (cols + 1) + first % cols : offsets),
        cols_(cols),
        left_(cols ? cols - first % cols : 0) {}

  // Appends a string that begins where the one before it in its row ends.
  void push(int64_t begin, int64_t end) {
    if (left_ == cols_) *at_ = narrow<int32_t>(begin);
    *++at_ = narrow<int32_t>(end);
    if (--left_ == 0) {
      left_ = cols_;
      ++at_;
    }
  }

 private:
  int32_t* at_;
  int64_t cols_;
  int64_t left_;  // strings of this row
};

}  // namespace stringops
