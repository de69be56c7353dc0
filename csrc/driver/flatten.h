// Makes flat strings of strings in rows, so that operators read one array of offsets, whatever the layout of their
// arguments. Adjacent rows get an array of offsets of their own; the bytes of other rows are copied.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/string_span.h"
#include "driver/runner.h"

namespace stringops::kernels {

// Returns the number of bytes of rows [first, last), or -1 if a row is not within the data.
int64_t count_row_bytes(const StringRows& in, int64_t first, int64_t last);

// Returns the strings of all rows, in row-major order. Their offsets are written to `offsets`, which has room for one
// more than there are strings; their bytes are those of `in` if its rows are adjacent, else a copy in allocate(size).
// Returns nothing if offsets of `in` are malformed. Fails if the strings have more than kMaxBytes in all, as strings
// that overlap may; `name` is the argument's.
//
// The written offsets are checked, not those of `in`, so that a concurrent write to these leads to no malformed span.
std::optional<StringSpan> flatten(const char* op, const char* name, const Runner& runner, const StringRows& in,
                                  int32_t* offsets, const std::function<uint8_t*(int64_t)>& allocate);

}  // namespace stringops::kernels
