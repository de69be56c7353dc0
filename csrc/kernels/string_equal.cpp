#include "kernels/string_equal.h"

#include <algorithm>
#include <utility>

#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

simd::StringRun run_from(const Operand& operand, int64_t row, int64_t col) {
  const StringSpan& span = operand.span;
  return {span.data, span.num_bytes, span.row_offsets(row) + col * operand.col_stride, operand.col_stride != 0};
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
  const simd::Primitives& simd = simd::primitives();
  for (int64_t i = first; i < last;) {
    const int64_t row = i / in.cols, col = i % in.cols, count = std::min(in.cols - col, last - i);
    simd::StringRun a = run_from(in.left, row_of(in.left, in.leading, row), col);
    simd::StringRun b = run_from(in.right, row_of(in.right, in.leading, row), col);
    if (!a.moves) std::swap(a, b);
    if (a.moves) {
      simd.equal_strings(a, b, count, out + i);
    } else {
      simd.equal_strings(a, b, 1, out + i);
      std::fill_n(out + i, count, out[i]);
    }
    i += count;
  }
}

}  // namespace stringops::kernels
