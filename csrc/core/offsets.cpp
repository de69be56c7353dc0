#include "core/offsets.h"

#include <algorithm>
#include <cstring>

namespace stringops {

std::optional<BadOffset> find_bad_offset(const StringRows& s) {
  if (s.rows == 0) return std::nullopt;
  // The rows are first checked as one row, which is much faster than many short ones.
  const int64_t count = s.rows * (s.cols + 1);
  if (s.stride == s.cols + 1 && s.offsets[0] >= 0 && s.offsets[count - 1] <= s.num_bytes &&
      are_non_decreasing(s.offsets, count)) {
    return std::nullopt;
  }
  for (int64_t row = 0; row < s.rows; ++row) {
    const int32_t* o = s.row_offsets(row);
    if (is_valid_row(o, s.cols, s.num_bytes)) continue;
    int64_t previous = 0;
    for (int64_t c = 0; c <= s.cols; ++c) {
      if (o[c] < previous || o[c] > s.num_bytes) return BadOffset{row, c, o[c], previous};
      previous = o[c];
    }
  }
  return std::nullopt;
}

std::string describe(const BadOffset& bad, const char* name, int64_t num_bytes) {
  std::string text = std::string("expected `") + name + "` non-decreasing within [0, " + std::to_string(num_bytes) +
                     "] in each row, got " + std::to_string(bad.value);
  if (bad.value <= num_bytes) text += bad.col == 0 ? " first" : " after " + std::to_string(bad.previous);
  return text + " at row " + std::to_string(bad.row) + ", position " + std::to_string(bad.col);
}

bool join_row_offsets(const StringRows& in, int64_t first, int64_t last, int32_t* offsets) {
  const int64_t cols = in.cols;
  if (first == 0) {
    std::copy_n(in.offsets, cols + 1, offsets);
    ++first;
  }
  int32_t* out = offsets + first * cols + 1;
  for (; first < last; ++first) {
    const int32_t* const row = in.row_offsets(first);
    if (row[0] != row[cols - in.stride]) return false;
    for (int64_t c = 1; c <= cols; ++c) *out++ = row[c];
  }
  return true;
}

void write_row_offsets(const int32_t* flat, int64_t rows, int64_t cols, int32_t* out) {
  // A row ends before the flat offsets of the rows after it, even if these are at the end of the same memory.
  constexpr int64_t kFew = 16;  // a call of memmove takes longer than to copy as many
  for (; rows > 0; --rows, flat += cols, out += cols + 1) {
    if (cols >= kFew) {
      std::memmove(out, flat, static_cast<size_t>(cols + 1) * sizeof(int32_t));
      continue;
    }
    for (int64_t c = 0; c <= cols; ++c) out[c] = flat[c];
  }
}

}  // namespace stringops
