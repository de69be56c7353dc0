// Sorting strings by their bytes (core/byte_order.h), and what else depends on their order in a row: the first and the
// last string, and where a string belongs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "driver/runner.h"

namespace stringops::kernels {

// Returns the positions of the strings in sorted order. Equal strings keep their order.
//
// `ranges` are a copy that is within `data`. If the bytes change meanwhile (race), the result is some permutation.
std::vector<int32_t> argsort_strings(const uint8_t* data, int64_t num_bytes, const std::vector<PackedRange>& ranges);

// Writes, for each row, the positions in it of its strings in sorted order. Equal strings keep their order, with
// `descending` too.
void argsort_rows(const Runner& runner, const StringSpan& in, bool descending, int64_t* indices);

// Writes, for every `rows` rows, the position in them of their least or greatest string, and of the first one if
// several are equal. Rows must not be empty.
void find_extremes(const Runner& runner, const StringSpan& in, int64_t rows, bool greatest, int64_t* indices);

// Writes, for each value, the position in its row of `sorted` before which it can be inserted: the first one, or with
// `right` the last. `sorted` has a row for each row of values, or only one. If it is not sorted, the positions are
// arbitrary, from 0 to sorted.cols.
void search_sorted(const Runner& runner, const StringSpan& sorted, const StringSpan& values, bool right,
                   int64_t* positions);

}  // namespace stringops::kernels
