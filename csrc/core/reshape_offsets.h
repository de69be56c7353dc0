// Rewrites the offsets of strings for rows of another length. Strings of a row share the offsets between them, so the
// strings of a new row must be adjacent in the data.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/row_offsets.h"
#include "core/string_span.h"

namespace stringops {

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
