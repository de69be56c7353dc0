// Operators on ragged rows of numbers: the positions of segments, and counts of ids.
#pragma once

#include <cstdint>

#include "core/row_splits.h"
#include "driver/runner.h"
#include "driver/two_pass.h"

namespace stringops::kernels {

// Segment i has the positions from starts[i] to starts[i] + lengths[i].
struct Segments {
  const int64_t* starts;
  const int64_t* lengths;  // not negative when they were checked
  int64_t count;
};

// The first length that is negative, or makes the sum exceed int64; -1 if there is none, and the sum of all.
int64_t find_bad_length(const Segments& segments, int64_t* sum);

// Writes the positions of segments [first, last) to out[at, limit). Returns whether they fill it.
bool write_segments(const Segments& segments, int64_t first, int64_t last, int64_t* out, int64_t at, int64_t limit);

// Counts how often each row has each of `num_ids` ids, without others; or, if `binary`, whether it has them.
struct IdCounts {
  RowSplits rows;
  int64_t num_ids;
  bool binary;

  // Writes rows [first, last) of `counts` [rows, num_ids]. Id: int32_t or int64_t.
  template <class Id>
  void write(const Id* ids, int64_t first, int64_t last, int64_t* counts) const;
};

}  // namespace stringops::kernels
