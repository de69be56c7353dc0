// Converts between the offsets of rows, of which each has one more than strings, and those of the same strings as one
// row.
#pragma once

#include <cstdint>

#include "core/string_span.h"

namespace stringops {

// Writes the offsets of the strings of rows [first, last), with those of all rows in `offsets`. Returns false, having
// written some of them, if a row does not begin where the one before it ends.
bool join_row_offsets(const StringRows& in, int64_t first, int64_t last, int32_t* offsets);

// Writes the offsets of strings in rows of `cols`, from `flat`, which has one more than there are strings. `flat` may
// be at the end of the memory of `out`.
void write_row_offsets(const int32_t* flat, int64_t rows, int64_t cols, int32_t* out);

}  // namespace stringops
