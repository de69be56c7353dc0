// Iterating over the strings of a span [rows, cols], row by row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/string_span.h"

namespace stringops {

// Calls f(offsets, count, index) for each run of consecutive strings of one row in [first, last): offsets has count + 1
// values, index is the flat index of the run's first string.
template <class F>
void for_each_run(const StringSpan& in, int64_t first, int64_t last, F&& f) {
  if (first >= last) return;
  int64_t row = first / in.cols, col = first % in.cols;
  for (; first < last; ++row, col = 0) {
    const int64_t count = std::min(last - first, in.cols - col);
    f(in.row_offsets(row) + col, count, first);
    first += count;
  }
}

// The bytes of strings [first, last). Those of a row lie next to each other.
inline int64_t count_bytes(const StringSpan& in, int64_t first, int64_t last) {
  int64_t num_bytes = 0;
  for_each_run(in, first, last, [&](const int32_t* offsets, int64_t count, int64_t) {
    num_bytes += std::max<int64_t>(0, int64_t{offsets[count]} - offsets[0]);  // negative only after a concurrent write
  });
  return num_bytes;
}

// Calls f(index, range) for each string in [first, last). The range is clamped.
template <class F>
void for_each_string(const StringSpan& in, int64_t first, int64_t last, F&& f) {
  for_each_run(in, first, last, [&](const int32_t* offsets, int64_t count, int64_t index) {
    for (int64_t i = 0; i < count; ++i) f(index + i, in.range_at(offsets + i));
  });
}

}  // namespace stringops
