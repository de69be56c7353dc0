#include "core/row_offsets.h"

#include <algorithm>
#include <cstring>

namespace stringops {

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
