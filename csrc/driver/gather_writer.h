// Writes strings that are copied from other tensors: their bytes and offsets, in runs.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "core/testing.h"
#include "driver/output_range.h"
#include "driver/strings_with_room.h"

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

struct GatherOutput {
  uint8_t* data;
  int32_t* offsets;  // one more than there are strings; the first one is 0 already
};

constexpr int64_t kMaxRuns = block_size(128, 4);  // of a block

// Prefetches the first strings of a block, before it is copied.
void prefetch_first(const AdjacentRun* strings, int64_t n);

// Writes strings to a range of the result, and nothing outside of it.
class GatherWriter {
 public:
  GatherWriter(const GatherOutput& out, const OutputRange& range);

  void append(const AdjacentRun* runs, int64_t n);

  // Writes runs of one string each. `in_order`: whether they are read in the order of their addresses.
  void append_strings(const AdjacentRun* runs, int64_t n, bool in_order);

  // `scattered`: whether strings are at random addresses.
  void append_ranges(const StringRanges& ranges, bool scattered);

  // Whether the strings fill the range.
  bool complete() const { return left_.is_full() && in_order_; }

 private:
  struct String;

  template <bool kLong>
  void append_runs(const AdjacentRun* runs, int64_t n);
  int64_t longest_if_valid(const StringRanges& ranges, int64_t beyond) const;
  template <class At>
  void append_whole(int64_t n, At&& string);
  template <bool kFit, class At>
  void append_within(int64_t n, At&& string);
  template <class Copy, bool kFit, class At>
  void append_each(int64_t n, At&& string);
  template <bool kLong>
  void write_offsets(const AdjacentRun& run, int64_t count, ByteRange bytes);

  const GatherOutput out_;
  OutputRange left_;            // of the range: the next string begins at left_.bytes
  int32_t* at_;                 // the offset of the next string, where the one before it ends
  const int32_t* offsets_end_;  // of the range
  bool in_order_ = true;        // no offset is less than the one before it
  const int64_t mean_bytes_;    // of the strings of the range
};

}  // namespace stringops::kernels
