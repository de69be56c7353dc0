// Validation of offsets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "core/string_span.h"

namespace stringops {

struct BadOffset {
  int64_t row;
  int64_t col;
  int64_t value;
  int64_t previous;  // the previous offset in its row, 0 for the first
};

// Whether no offset is smaller than the previous one, also from row to row. Whole tensors and ascending rows meet this.
inline bool are_non_decreasing(const int32_t* offsets, int64_t count) {
  constexpr int64_t kBlock = 1024;  // a loop without an exit is vectorized; an exit between blocks suffices
  for (int64_t i = 0; i < count - 1; i += kBlock) {
    const int64_t end = std::min(i + kBlock, count - 1);
    int32_t decreasing = 0;
    for (int64_t k = i; k < end; ++k) decreasing |= offsets[k + 1] < offsets[k] ? -1 : 0;
    if (decreasing != 0) return false;
  }
  return true;
}

// Whether a row of offsets is non-decreasing within [0, num_bytes].
inline bool is_valid_row(const int32_t* offsets, int64_t cols, int64_t num_bytes) {
  int32_t decreasing = 0;
  for (int64_t c = 0; c < cols; ++c) decreasing |= offsets[c + 1] < offsets[c] ? -1 : 0;
  return decreasing == 0 && offsets[0] >= 0 && offsets[cols] <= num_bytes;
}

// Whether all of `rows` adjacent rows are valid. The loops have no exit, so that they are vectorized.
inline bool are_valid_rows(const int32_t* offsets, int64_t rows, int64_t cols, int64_t num_bytes) {
  const auto high = static_cast<int32_t>(std::min(num_bytes, kMaxBytes));
  const int64_t count = rows * (cols + 1);
  int32_t bad = count > 0 ? offsets[0] | (offsets[0] > high ? -1 : 0) : 0;
  int32_t decreases = 0;  // decreases within rows: all, less those between rows
  for (int64_t k = 1; k < count; ++k) {
    bad |= offsets[k] | (offsets[k] > high ? -1 : 0);
    decreases += offsets[k] < offsets[k - 1] ? 1 : 0;
  }
  for (int64_t k = cols + 1; k < count; k += cols + 1) decreases -= offsets[k] < offsets[k - 1] ? 1 : 0;
  return bad >= 0 && decreases == 0;
}

// Whether all rows of the span are valid, in any order.
inline bool has_valid_rows(const StringSpan& s) {
  constexpr int64_t kBlock = 512;  // rows; the loop exits only between blocks
  for (int64_t row = 0; row < s.rows; row += kBlock) {
    if (!are_valid_rows(s.row_offsets(row), std::min(kBlock, s.rows - row), s.cols, s.num_bytes)) return false;
  }
  return true;
}

// Returns the first offset that is negative, smaller than the previous one, or beyond num_bytes.
std::optional<BadOffset> find_bad_offset(const StringSpan& s);

// Returns the error text after the operator's name; `name` is the argument's.
std::string describe(const BadOffset& bad, const char* name, int64_t num_bytes);

// Whether one of rows [first, last) does not begin where the previous one ends. There is no branch for each row.
inline bool have_gap(const int32_t* offsets, int64_t stride, int64_t first, int64_t last) {
  uint32_t gaps = 0;
  if (stride == 2) {
    // Rows of one string: both offsets are one number, so that the loop is vectorized.
    uint64_t both = 0;
    for (int64_t r = first; r < last; ++r) {
      uint64_t pair;
      std::memcpy(&pair, offsets + 2 * r - 1, sizeof pair);
      both |= pair ^ pair >> 32;
    }
    gaps = static_cast<uint32_t>(both);
  } else {
    for (int64_t r = first; r < last; ++r) {
      gaps |= static_cast<uint32_t>(offsets[r * stride] ^ offsets[r * stride - 1]);
    }
  }
  return gaps != 0;
}

// Whether each row begins where the one before it ends, so that the tensor's strings are one interval of `data`.
inline bool has_contiguous_offsets(const StringSpan& s) {
  constexpr int64_t kBlock = 1024;  // an exit between blocks only
  const int64_t stride = s.cols + 1;
  for (int64_t row = 1; row < s.rows; row += kBlock) {
    const int64_t end = std::min(row + kBlock, s.rows);
    if (have_gap(s.offsets, stride, row, end)) return false;
  }
  return true;
}

// Whether the strings are adjacent in `data`, in row-major order, and no other bytes are in it.
inline bool is_compact(const StringSpan& s) {
  if (s.rows == 0) return s.num_bytes == 0;
  return s.row_offsets(0)[0] == 0 && s.row_offsets(s.rows - 1)[s.cols] == s.num_bytes && has_contiguous_offsets(s);
}

}  // namespace stringops
