// Operands that broadcast. Strides do it, so nothing is repeated in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/fail.h"
#include "core/string_span.h"
#include "core/testing.h"
#include "simd/primitives.h"

namespace stringops::kernels {

using Shape = std::vector<int64_t>;

// Returns string i of a run.
inline StringView view_at(const simd::StringRun& run, int64_t i) {
  const StringSpan span{run.data, run.num_bytes, nullptr, 0};
  const int64_t k = run.is_broadcast ? 0 : i;
  return span.view(span.clamped(run.begins[k], run.ends[k]));
}

inline Shape broadcast_shapes(const char* op, const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()));
  for (size_t i = 1; i <= shape.size(); ++i) {
    const int64_t x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
    STRINGOPS_CHECK(x == y || x == 1 || y == 1, op, ": expected shapes that broadcast, got ", shape_text(a), " and ",
                    shape_text(b));
    shape[shape.size() - i] = x == 1 ? y : x;
  }
  STRINGOPS_CHECK(count_elements(shape) <= kMaxOffsets, op, ": expected shapes that broadcast to at most ", kMaxOffsets,
                  " strings, got ", shape_text(a), " and ", shape_text(b), " (split the batch)");
  return shape;
}

// The strides of an operand: for each leading dimension of the result, in rows of the operand, 0 if it is broadcast
// there; and for the columns, 0 or 1.
struct Strides {
  Shape row_strides;
  int64_t col_stride;

  // Computes the strides of an operand of this shape in a result of this rank.
  Strides(const Shape& shape, size_t rank) : row_strides(rank - 1, 0), col_stride(shape.back() == 1 ? 0 : 1) {
    int64_t stride = 1;
    for (size_t d = shape.size() - 1; d-- > 0;) {
      if (shape[d] != 1) row_strides[d + rank - shape.size()] = stride;
      stride *= shape[d];
    }
  }

  // Returns the operand's row for row `row` of the result.
  int64_t row_at(const Shape& result, int64_t row) const {
    int64_t at = 0;
    for (size_t d = row_strides.size(); d-- > 0;) {
      at += row % result[d] * row_strides[d];
      row /= result[d];
    }
    return at;
  }
};

// Strings that broadcast.
struct Operand : Strides {
  StringSpan span;
  int64_t cols;

  Operand(const StringSpan& strings, const Shape& shape, size_t rank)
      : Strides(shape, rank), span(strings), cols(shape.back()) {}

  bool is_one_string() const { return span.size() == 1; }

  // Returns the strings from string `index` on, or that string for all elements.
  simd::StringRun run_from(int64_t index, bool is_broadcast) const {
    const int32_t* const offsets = span.offsets + index;
    return {span.data, span.num_bytes, offsets, offsets + 1, is_broadcast};
  }

  // Returns the operand's strings for row `row` of the result, from column `col` on.
  simd::StringRun run_at(const Shape& shape, int64_t row, int64_t col) const {
    return run_from(row_at(shape, row) * cols + col * col_stride, col_stride == 0);
  }
};

// Elements of the result that are read at once, of several rows of few columns.
constexpr int64_t kMaxElements = block_size(512, 6);
constexpr int64_t kFewCols = 16;

// Calls f(first, count) for blocks of elements [first, last) of the result, in row-major order: parts of one row, or of
// several rows of few columns.
template <class F>
void for_each_element_block(const Shape& result, int64_t first, int64_t last, F&& f) {
  const int64_t cols = result.back();
  const bool is_narrow = cols < kFewCols;
  while (first < last) {
    const int64_t count = std::min(last - first, is_narrow ? kMaxElements : cols - first % cols);
    f(first, count);
    first += count;
  }
}

// Calls f(k, row, col, n) for the part of each row in a block: elements k to k + n of the block.
template <class F>
void for_each_row_of_block(int64_t cols, int64_t first, int64_t count, F&& f) {
  int64_t row = first / cols, col = first % cols;
  for (int64_t k = 0; k < count; ++row, col = 0) {
    const int64_t n = std::min(cols - col, count - k);
    f(k, row, col, n);
    k += n;
  }
}

// Reads the strings of an operand for such blocks.
class StringsReader {
 public:
  StringsReader(const Operand& operand, const Shape& result)
      : operand_(operand), result_(result), is_whole_(operand.span.size() == count_elements(result)) {}

  // Valid until the next call.
  simd::StringRun read(int64_t first, int64_t count) {
    const int64_t cols = result_.back(), col = first % cols;
    if (operand_.is_one_string()) return operand_.run_from(0, true);
    if (is_whole_) return operand_.run_from(first, false);
    if (col + count <= cols) return operand_.run_at(result_, first / cols, col);
    begins_.resize(kMaxElements);
    ends_.resize(kMaxElements);
    int32_t *const begins = begins_.data(), *const ends = ends_.data();
    for_each_row_of_block(cols, first, count, [&](int64_t k, int64_t row, int64_t at, int64_t n) {
      const simd::StringRun run = operand_.run_at(result_, row, at);
      for (int64_t i = 0; i < n; ++i) {
        begins[k + i] = run.begins[i * operand_.col_stride];
        ends[k + i] = run.ends[i * operand_.col_stride];
      }
    });
    return {operand_.span.data, operand_.span.num_bytes, begins, ends, false};
  }

 private:
  const Operand& operand_;
  const Shape& result_;
  const bool is_whole_;  // whether the operand is not broadcast
  std::vector<int32_t> begins_, ends_;
};

// Numbers that broadcast, for such blocks.
class NumbersReader {
 public:
  NumbersReader(const int64_t* numbers, const Shape& shape, const Shape& result)
      : numbers_(numbers), cols_(shape.back()), strides_(shape, result.size()), result_(result) {}

  // Element i of the block has the number values[i * step].
  struct Run {
    const int64_t* values;
    int64_t step;
  };

  // Valid until the next call.
  Run read(int64_t first, int64_t count) {
    const int64_t cols = result_.back(), col = first % cols, step = strides_.col_stride;
    const auto at = [&](int64_t row, int64_t c) { return numbers_ + strides_.row_at(result_, row) * cols_ + c * step; };
    if (col + count <= cols) return {at(first / cols, col), step};
    values_.resize(kMaxElements);
    for_each_row_of_block(cols, first, count, [&](int64_t k, int64_t row, int64_t c, int64_t n) {
      for (int64_t i = 0; i < n; ++i) values_[static_cast<size_t>(k + i)] = at(row, c)[i * step];
    });
    return {values_.data(), 1};
  }

 private:
  const int64_t* const numbers_;
  const int64_t cols_;
  const Strides strides_;
  const Shape& result_;
  std::vector<int64_t> values_;
};

}  // namespace stringops::kernels
