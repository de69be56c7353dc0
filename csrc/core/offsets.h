// Offsets: their validation, and those of the same strings in other rows.
#pragma once

#include <algorithm>
#include <cstdint>
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

// Returns the first offset that is negative, smaller than the previous one, or beyond num_bytes.
std::optional<BadOffset> find_bad_offset(const StringRows& s);

// Returns the error text after the operator's name; `name` is the argument's.
std::string describe(const BadOffset& bad, const char* name, int64_t num_bytes);

// Whether the strings are adjacent in `data`, in row-major order, and no other bytes are in it.
inline bool is_compact(const StringRows& s) {
  if (s.rows == 0) return s.num_bytes == 0;
  uint32_t gaps = static_cast<uint32_t>(s.offsets[0]);
  for (int64_t r = 1; r < s.rows; ++r)
    gaps |= static_cast<uint32_t>(s.row_offsets(r)[0] ^ s.row_offsets(r - 1)[s.cols]);
  return gaps == 0 && s.row_offsets(s.rows - 1)[s.cols] == s.num_bytes;
}

// Converts between the offsets of rows, of which each has one more than strings, and those of the same strings as one
// row.

// Writes the offsets of the strings of rows [first, last), with those of all rows in `offsets`. Returns false, having
// written some of them, if a row does not begin where the one before it ends.
bool join_row_offsets(const StringRows& in, int64_t first, int64_t last, int32_t* offsets);

// Writes the offsets of strings in rows of `cols`, from `flat`, which has one more than there are strings. `flat` may
// be at the end of the memory of `out`.
void write_row_offsets(const int32_t* flat, int64_t rows, int64_t cols, int32_t* out);

// Rewrites the offsets of strings for rows of another length. Strings of a row share the offsets between them, so the
// strings of a new row must be adjacent in the data.

// Writes the offsets of the same strings in rows of `cols` to `out`, which has room for all of them. Returns false if
// strings of a new row are not adjacent; what `out` holds is then undefined.
inline bool reshape_offsets(const StringRows& s, int32_t* out, int64_t cols) {
  const int64_t count = s.size();
  if (count == 0 || cols == 0) return false;
  int32_t* const flat = out + (count / cols - 1);
  if (join_row_offsets(s, 0, s.rows, flat)) {
    write_row_offsets(flat, count / cols, cols, out);
    return true;
  }
  int64_t col = 0;  // of the next string in its new row
  for (int64_t row = 0; row < s.rows; ++row) {
    const int32_t* offsets = s.row_offsets(row);
    for (int64_t left = s.cols; left > 0;) {
      if (col > 0 && *out != *offsets) return false;
      const int64_t taken = std::min(left, cols - col);
      *out = *offsets;
      out = std::copy_n(offsets + 1, taken, out + 1) - 1;
      offsets += taken;
      left -= taken;
      col += taken;
      if (col < cols) continue;
      col = 0;
      ++out;
    }
  }
  return true;
}

}  // namespace stringops
