// Strings that overlap, as those of expanded tensors, may be far larger than their data, and so may be results and what
// is kept for them. They are divided into more and smaller tasks: these stop once they have found, together, more than
// a result can have, and keep little or nothing from one pass to the next.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/string_span.h"
#include "core/testing.h"
#include "split/partition.h"

namespace stringops::kernels {

// A result of strings that overlap is too large if it has more bytes or elements than this. Tests lower the limit,
// which takes seconds to reach.
extern std::atomic<int64_t> overlap_limit;

// The number of tasks for strings that overlap and are large; 0 for others. It does not depend on the threads, nor does
// therefore which of two faults is reported.
inline int64_t overlapping_tasks(const StringSpan& in) {
  constexpr int64_t kLargeText = block_size(256 << 20, 256), kTaskBytes = block_size(16 << 20, 64);
  if (in.rows <= 1 || in.num_bytes * in.rows <= kLargeText) return 0;  // the strings of a row do not overlap
  int64_t bytes = 0;  // cannot overflow: both numbers of rows and of bytes are less than 2**31
  for (int64_t row = 0; row < in.rows; ++row) {
    const int32_t* const offsets = in.row_offsets(row);
    bytes += int64_t{offsets[in.cols]} - offsets[0];
  }
  if (bytes <= std::max(in.num_bytes, kLargeText)) return 0;
  return std::min(bytes / kTaskBytes + 1, Partition::kMaxOverlapTasks);
}

}  // namespace stringops::kernels
