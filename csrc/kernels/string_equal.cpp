#include "kernels/string_equal.h"

#include <algorithm>
#include <cstring>

namespace stringops::kernels {
namespace {

// Whether n bytes at a and b are equal. May read up to the ends of both buffers, never beyond.
inline bool equal_bytes(const uint8_t* a, const uint8_t* a_end, const uint8_t* b, const uint8_t* b_end, int64_t n) {
  if (n > 8 || a_end - a < 8 || b_end - b < 8) return std::memcmp(a, b, static_cast<size_t>(n)) == 0;
  // Short strings, which most are: one load each, and a shift that drops the bytes beyond n (little-endian).
  uint64_t x, y;
  std::memcpy(&x, a, 8);
  std::memcpy(&y, b, 8);
  return n == 0 || ((x ^ y) << (64 - 8 * n)) == 0;
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
  const StringSpan &a = in.left.span, &b = in.right.span;
  const uint8_t *a_end = a.data + a.num_bytes, *b_end = b.data + b.num_bytes;
  for (int64_t i = first; i < last;) {
    const int64_t row = i / in.cols, col = i % in.cols, stop = std::min(in.cols, col + (last - i));
    const int64_t a_row = row_of(in.left, in.leading, row), b_row = row_of(in.right, in.leading, row);
    for (int64_t c = col; c < stop; ++c, ++i) {
      const ByteRange x = a.range(a_row, c * in.left.col_stride), y = b.range(b_row, c * in.right.col_stride);
      out[i] = x.size() == y.size() && equal_bytes(a.data + x.begin, a_end, b.data + y.begin, b_end, x.size());
    }
  }
}

}  // namespace stringops::kernels
