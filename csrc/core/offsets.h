// What makes a row of offsets valid, and where it is not. No torch here.
#pragma once

#include <cstdint>
#include <optional>

#include "core/string_span.h"

namespace stringops {

struct BadOffset {
  int64_t row;
  int64_t col;
  int64_t value;
  int64_t previous;  // the offset before it in its row, 0 for the first
};

// First offset that is negative, smaller than the one before it, or beyond num_bytes.
inline std::optional<BadOffset> find_bad_offset(const StringSpan& s) {
  for (int64_t row = 0; row < s.rows; ++row) {
    const int32_t* o = s.row_offsets(row);
    // Non-decreasing from o[0] >= 0 to o[cols] <= num_bytes implies the rest. The loop has no exit and no bool, so that
    // it vectorises.
    int32_t decreasing = 0;
    for (int64_t c = 0; c < s.cols; ++c) decreasing |= o[c + 1] < o[c] ? -1 : 0;
    if (decreasing == 0 && o[0] >= 0 && o[s.cols] <= s.num_bytes) continue;
    int64_t previous = 0;
    for (int64_t c = 0; c <= s.cols; ++c) {
      if (o[c] < previous || o[c] > s.num_bytes) return BadOffset{row, c, o[c], previous};
      previous = o[c];
    }
  }
  return std::nullopt;
}

// Where the rows tile one interval of `data`, in order, the whole tensor is that interval.
inline bool has_contiguous_offsets(const StringSpan& s) {
  for (int64_t row = 1; row < s.rows; ++row) {
    if (s.row_offsets(row)[0] != s.row_offsets(row - 1)[s.cols]) return false;
  }
  return true;
}

}  // namespace stringops
