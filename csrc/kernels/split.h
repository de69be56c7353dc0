// Split and SplitToSequence: the pieces into which an axis is cut, copied out. No torch here.
#pragma once

#include <cstdint>

#include "core/string_span.h"

namespace stringops::kernels {

// One piece of a contiguous tensor: of each of `blocks` blocks of `block_bytes`, the `num_bytes` from `first_byte` on.
struct TensorPart {
  int64_t blocks;
  int64_t block_bytes;
  int64_t first_byte;
  int64_t num_bytes;
};

void write_tensor_part(const uint8_t* in, const TensorPart& part, uint8_t* out);

// One piece of strings [rows, cols]: of each of `blocks` blocks of `block_rows` rows, `num_rows` from `first_row` on,
// and of those `num_cols` strings from `first_col` on.
struct StringPart {
  int64_t blocks;
  int64_t block_rows;
  int64_t first_row;
  int64_t num_rows;
  int64_t first_col;
  int64_t num_cols;
};

int64_t measure_string_part(const StringSpan& in, const StringPart& part);

// Where a piece goes: offsets is [*, cols + 1], with as many strings as the piece has.
struct StringPartOutput {
  uint8_t* data;
  int64_t num_bytes;
  int32_t* offsets;
  int64_t cols;
};

// Writes nothing beyond num_bytes even where the offsets have grown since they were measured; returns false where they
// have changed.
bool write_string_part(const StringSpan& in, const StringPart& part, const StringPartOutput& out);

}  // namespace stringops::kernels
