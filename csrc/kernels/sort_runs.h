// Sorted runs of strings: rows that consist of few of them are merged, not sorted, and so are the parts of a row that
// threads have sorted.
#pragma once

#include <cstdint>

#include "core/byte_order.h"
#include "core/string_span.h"

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

// Two runs of the positions of sorted strings, adjacent in memory, or parts of them. If the bytes of strings change, a
// merge still writes each position once.
struct TwoRuns {
  const int32_t *left, *left_end, *right, *right_end;

  int64_t size() const { return (left_end - left) + (right_end - right); }
};

// Merges sorted runs. Equal strings keep their order.
class RunMerger {
 public:
  RunMerger(const StringSpan& in, bool descending) : in_(in), descending_(descending) {}

  // Writes the positions of both runs.
  void merge(TwoRuns runs, int32_t* out) const;

  // Removes the part of the runs of which the first `count` positions of their merge consist, and returns it.
  TwoRuns take(TwoRuns* runs, int64_t count) const;

 private:
  Prefixed load_at(int32_t position) const { return load(in_, in_.range(position)); }
  bool is_before(const Prefixed& a, const Prefixed& b) const {
    return descending_ ? compare(a, b) > 0 : compare(a, b) < 0;
  }

  const StringSpan in_;
  const bool descending_;
};

// Writes the positions of the strings in sorted order if they consist of few runs in this order, or are in its reverse.
// Returns whether they do; the positions are undefined otherwise.
bool merge_runs(const StringSpan& in, bool descending, int32_t* order);

}  // namespace stringops::kernels
