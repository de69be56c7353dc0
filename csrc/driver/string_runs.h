// Runs of strings that are adjacent, or ranges of strings that are not, as references to the tensors that have them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/rows.h"
#include "core/testing.h"

namespace stringops::kernels {

// Adjacent strings of a row of `source`: string k has the bytes from offsets[k] to offsets[k + 1].
struct RowStrings {
  const StringSpan* source;
  const int32_t* offsets;
  int64_t count;
};

// Strings of `source` that need not be adjacent: string k has the bytes from begins[k] to ends[k].
struct StringRanges {
  const StringSpan* source;
  const int32_t* begins;
  const int32_t* ends;
  int64_t count;
};

// A run whose offsets are a copy, which the next one overwrites.
struct CopiedRun {
  RowStrings run;
};

// Calls f for strings [first, last) in rows of few: with a CopiedRun of rows that are adjacent, else with StringRanges.
template <class F>
void for_each_narrow_run(const StringSpan& strings, int64_t first, int64_t last, F&& f) {
  constexpr int64_t kWorthJoining = block_size(32, 3);  // strings of a run
  JoinedRows rows;
  RowRanges ranges;
  while (first < last) {
    int64_t count = rows.take(strings, first, last);
    if (count < std::min(kWorthJoining, last - first)) {
      count = ranges.take(strings, first, last);
      f(StringRanges{&strings, ranges.begins(), ranges.ends(), count});
    } else {
      const StringSpan joined{strings.data, strings.num_bytes, rows.offsets(), 1, count};
      f(CopiedRun{{&joined, joined.offsets, count}});
    }
    first += count;
  }
}

// Returns the string at flat index `index`.
inline RowStrings string_of(const StringSpan& span, int64_t index) {
  // The division has 32 bits, because one of 64 bits takes longer. A tensor has fewer than 2**31 strings.
  const int64_t row = span.rows == 1 ? 0 : static_cast<uint32_t>(index) / static_cast<uint32_t>(span.cols);
  return {&span, span.offsets + index + row, 1};
}

}  // namespace stringops::kernels
