// Sorting strings by their bytes (core/byte_order.h), and what else depends on their order in a row: the first and the
// last string, and where a string belongs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/byte_order.h"
#include "core/string_span.h"
#include "driver/runner.h"

namespace stringops::kernels {

struct Prefixed {
  StringView view;
  uint64_t prefix;
};

inline Prefixed load(const StringSpan& in, ByteRange range) {
  const StringView view = in.view(range);
  return {view, load_prefix(view, in.data + in.num_bytes)};
}

inline int64_t compare(const Prefixed& a, const Prefixed& b) {
  return compare_bytes(a.view, a.prefix, b.view, b.prefix);
}

// Writes the positions of the strings in sorted order if they consist of few runs in this order, or are in its reverse.
// Returns whether they do; the positions are undefined otherwise. Equal strings keep their order.
bool merge_runs(const StringSpan& in, bool descending, std::vector<int32_t>& order);

// Returns the positions of the strings in sorted order, a permutation whatever the bytes. Equal strings keep their
// order, with `descending` too. Positions after the first `count` are in any order. `ranges` are a copy that is within
// `data`.
std::vector<int32_t> argsort_strings(const uint8_t* data, int64_t num_bytes, const std::vector<PackedRange>& ranges,
                                     bool descending = false, int64_t count = kMaxOffsets);

// Writes, for each row of `cols` strings, the positions in it of the first `count` of its strings in sorted order.
// Equal strings keep their order, with `descending` too.
void argsort_rows(const Runner& runner, const StringSpan& in, int64_t cols, bool descending, int64_t count,
                  int64_t* indices);

// Same as above; if few are wanted, the others are not sorted.
void select_rows(const Runner& runner, const StringSpan& in, int64_t cols, bool descending, int64_t count,
                 int64_t* indices);

// Writes, for each row of `cols` >= 1 strings, the position in it of its least or greatest string, and of the first one
// if several are equal.
void find_extremes(const Runner& runner, const StringSpan& in, int64_t cols, bool greatest, int64_t* indices);

// Sorted rows, and values to search for: `sorted` has a row for each row of values, or only one.
struct SortedSearch {
  const StringSpan& sorted;
  int64_t sorted_cols;
  const StringSpan& values;
  int64_t value_cols;
};

// Writes, for each value, the position in its row of `sorted` before which it can be inserted: the first one, or with
// `right` the last. If the row is not sorted, the positions are arbitrary, from 0 to sorted_cols.
void search_sorted(const Runner& runner, const SortedSearch& in, bool right, int64_t* positions);

}  // namespace stringops::kernels
