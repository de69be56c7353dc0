// Runs of strings that are adjacent, or ranges of strings that are not, as references to the tensors that have them.
#pragma once

#include <cstdint>

#include "core/string_span.h"

namespace stringops::kernels {

// Adjacent strings of `source`: string k has the bytes from offsets[k] to offsets[k + 1].
struct AdjacentRun {
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

// Returns `count` strings from string `first` on.
inline AdjacentRun run_of(const StringSpan& span, int64_t first, int64_t count = 1) {
  return {&span, span.offsets + first, count};
}

}  // namespace stringops::kernels
