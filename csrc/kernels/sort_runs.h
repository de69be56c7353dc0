// Sorted runs of strings: a row that consists of few of them is merged, not sorted.
#pragma once

#include <cstdint>
#include <vector>

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

// Writes the positions of the strings in sorted order if they consist of few runs in this order, or are in its reverse.
// Returns whether they do; the positions are undefined otherwise. Equal strings keep their order.
bool merge_runs(const StringSpan& in, bool descending, std::vector<int32_t>& order);

}  // namespace stringops::kernels
