#include "core/row_offsets.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/testing.h"

namespace stringops {
namespace {

constexpr int64_t kRows = block_size(512, 3);  // of a block; a loop without an exit is vectorized

// Copies `count` numbers, several at once if up to kStep - 1 after them may be read and overwritten.
constexpr int64_t kStep = 4;

inline void copy_offsets(const int32_t* from, int64_t count, bool has_room, int32_t* to) {
  if (!has_room) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i < count; i += kStep) std::memcpy(to + i, from + i, kStep * sizeof(int32_t));
}

// Copies the offsets after the first one of each of `rows` rows. Returns bits that are set if one of these rows does
// not begin where the one before it in memory ends. kCols is `cols`, or 0.
template <int64_t kCols>
uint32_t join_block(const int32_t* at, int64_t cols, int64_t stride, int64_t rows, int32_t* __restrict out) {
  if constexpr (kCols > 0) cols = kCols;
  uint32_t gaps = 0;
  // The offsets after a row are those of the next row, or overwritten by it.
  const bool has_room = (kCols == 0 || kCols >= kStep - 1) && stride > cols;
  for (int64_t r = 0; r < rows; ++r) {
    const int32_t* const row = at + r * stride;
    gaps |= static_cast<uint32_t>(row[0] ^ row[cols - stride]);
    copy_offsets(row + 1, cols, has_room && r + 1 < rows, out + r * cols);
  }
  return gaps;
}

}  // namespace

bool join_row_offsets(const StringRows& in, int64_t first, int64_t last, int32_t* offsets) {
  constexpr int64_t kFewCols = 16;
  const int64_t cols = in.cols, stride = in.stride;
  if (first == 0) {
    std::copy_n(in.offsets, cols + 1, offsets);
    ++first;
  }
  int32_t* out = offsets + first * cols + 1;
  const auto join = cols >= kFewCols ? nullptr : cols == 1 ? join_block<1> : cols == 2 ? join_block<2> : join_block<0>;
  for (; first < last && join; first += kRows, out += kRows * cols) {
    if (join(in.row_offsets(first), cols, stride, std::min(kRows, last - first), out) != 0) return false;
  }
  for (; first < last; ++first, out += cols) {
    const int32_t* const row = in.row_offsets(first);
    if (row[0] != row[cols - stride]) return false;
    std::copy_n(row + 1, cols, out);
  }
  return true;
}

void write_row_offsets(const int32_t* flat, int64_t rows, int64_t cols, int32_t* out) {
  constexpr int64_t kOffsets = block_size(1024, 6);
  if (cols >= kOffsets / 2) {
    for (; rows > 0; --rows, flat += cols, out += cols + 1) {
      std::memmove(out, flat, static_cast<size_t>(cols + 1) * sizeof(int32_t));
    }
    return;
  }
  // A row is read before the memory of its flat offsets is overwritten, by rows before it.
  int32_t block[kOffsets + kStep];
  const auto write = [&](int64_t count, auto columns) {
    const bool has_room = columns >= kStep - 1;
    for (int64_t r = 0; r < count; ++r) {
      copy_offsets(block + r * columns, columns + 1, has_room && r + 1 < count, out + r * (columns + 1));
    }
  };
  const int64_t rows_of_block = (kOffsets - 1) / std::max<int64_t>(cols, 1);
  while (rows > 0) {
    const int64_t count = std::min(rows, rows_of_block);
    std::copy_n(flat, count * cols + 1, block);
    cols == 1   ? write(count, std::integral_constant<int64_t, 1>())
    : cols == 2 ? write(count, std::integral_constant<int64_t, 2>())
                : write(count, cols);
    rows -= count;
    flat += count * cols;
    out += count * (cols + 1);
  }
}

}  // namespace stringops
