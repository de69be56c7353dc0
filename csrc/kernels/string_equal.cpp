#include "kernels/string_equal.h"

#include <algorithm>
#include <cstring>

#include "core/narrow.h"

namespace stringops::kernels {
namespace {

inline uint64_t load(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// All ones in the first n bytes of a word, n from 0 to 8 (little-endian).
constexpr uint64_t kFirst[9] = {
    0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

// Whether n bytes at a and b are equal. Reads may go up to the ends of both buffers, never beyond.
inline bool equal_bytes(const uint8_t* a, const uint8_t* a_end, const uint8_t* b, const uint8_t* b_end, int64_t n) {
  if (n > 16) return std::memcmp(a, b, static_cast<size_t>(n)) == 0;
  // Words are short, and of lengths that no branch predicts: two loads for all of them, and a mask.
  if (a_end - a < 16 || b_end - b < 16) return n == 0 || std::memcmp(a, b, static_cast<size_t>(n)) == 0;
  const uint64_t first = (load(a) ^ load(b)) & kFirst[n < 8 ? n : 8];
  const uint64_t second = (load(a + 8) ^ load(b + 8)) & kFirst[n < 8 ? 0 : n - 8];
  return (first | second) == 0;
}

// out[i] = lengths at i are equal. A loop the compiler vectorises; unsigned, as offsets may be anything by now.
void equal_lengths(const uint32_t* a, const uint32_t* b, int64_t count, bool* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = a[i + 1] - a[i] == b[i + 1] - b[i];
}
void equal_lengths(const uint32_t* a, uint32_t length, int64_t count, bool* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = a[i + 1] - a[i] == length;
}

// Columns that are compared at once: what a pass writes is still in the first cache when the next one reads it.
constexpr int64_t kBlock = 4096;

// A row of each operand.
struct Rows {
  const Operand& left;
  const Operand& right;
  int64_t left_row;
  int64_t right_row;
};

// Writes out for columns [col, col + count), at most kBlock.
void write_columns(const Rows& rows, int64_t col, int64_t count, bool* out) {
  const StringSpan &a = rows.left.span, &b = rows.right.span;
  const int64_t a_step = rows.left.col_stride, b_step = rows.right.col_stride;
  const auto* x = reinterpret_cast<const uint32_t*>(a.row_offsets(rows.left_row) + col * a_step);
  const auto* y = reinterpret_cast<const uint32_t*>(b.row_offsets(rows.right_row) + col * b_step);
  if (a_step && b_step)
    equal_lengths(x, y, count, out);
  else if (a_step)
    equal_lengths(x, y[1] - y[0], count, out);
  else if (b_step)
    equal_lengths(y, x[1] - x[0], count, out);
  else
    std::fill_n(out, count, x[1] - x[0] == y[1] - y[0]);

  // Which are left is not to be predicted either, so they are listed before they are compared.
  uint16_t left[kBlock];
  int64_t num_left = 0;
  for (int64_t i = 0; i < count; ++i) {
    left[num_left] = narrow<uint16_t>(i);
    num_left += out[i];
  }
  const uint8_t *a_end = a.data + a.num_bytes, *b_end = b.data + b.num_bytes;
  for (int64_t k = 0; k < num_left; ++k) {
    const int64_t i = left[k];
    // Read again, and bounded again: the offsets may have changed since.
    const uint32_t p = x[i * a_step], q = y[i * b_step], n = x[i * a_step + 1] - p;
    const bool bounded = int64_t{p} + n <= a.num_bytes && int64_t{q} + n <= b.num_bytes;
    out[i] = bounded && equal_bytes(a.data + p, a_end, b.data + q, b_end, n);
  }
}

int64_t row_of(const Operand& operand, const std::vector<int64_t>& leading, int64_t row) {
  int64_t at = 0;
  for (size_t d = leading.size(); d-- > 0;) {
    at += row % leading[d] * operand.row_strides[d];
    row /= leading[d];
  }
  return at;
}

}  // namespace

void write_equal(const EqualInput& in, int64_t first, int64_t last, bool* out) {
  for (int64_t i = first; i < last;) {
    const int64_t row = i / in.cols, col = i % in.cols;
    const Rows rows{in.left, in.right, row_of(in.left, in.leading, row), row_of(in.right, in.leading, row)};
    const int64_t stop = std::min(in.cols, col + (last - i));
    for (int64_t c = col; c < stop; c += kBlock) {
      const int64_t count = std::min(kBlock, stop - c);
      write_columns(rows, c, count, out + i);
      i += count;
    }
  }
}

}  // namespace stringops::kernels
