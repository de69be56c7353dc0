// Which strings of two tensors are equal byte for byte, broadcasting by strides: nothing is repeated in memory.
// No torch here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"

namespace stringops::kernels {

// How an operand's rows lie under the result's: one stride, in rows of the operand, for each leading dimension of the
// result (0 where the operand is repeated), and whether its one column is repeated too.
struct Operand {
  StringSpan span;
  std::vector<int64_t> row_strides;
  int64_t col_stride;
};

struct EqualInput {
  Operand left;
  Operand right;
  std::vector<int64_t> leading;  // the result's dimensions but the last
  int64_t cols;                  // its last
};

// Writes out[first] to out[last - 1], elements of the result in row-major order.
void write_equal(const EqualInput& in, int64_t first, int64_t last, bool* out);

}  // namespace stringops::kernels
