// Sorted runs of strings: rows that consist of few of them are merged, not sorted, and so are the parts of a row that
// threads have sorted.
#pragma once

#include <algorithm>
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
bool merge_runs(const StringSpan& in, bool descending, std::vector<int32_t>& order);

// Merges sorted parts of `order`, two adjacent ones at a time. `parts` are the positions at which they begin, and its
// size. run(count, merge) calls merge(i) for each i in [0, count): about as many as there are tasks.
template <class Run>
void merge_parts(const RunMerger& merger, std::vector<int64_t> parts, int64_t tasks, std::vector<int32_t>& order,
                 Run&& run) {
  std::vector<int32_t> merged(parts.size() > 2 ? order.size() : 0);
  const int64_t most = parts.back() / tasks + 1;
  for (; parts.size() > 2; order.swap(merged)) {
    std::vector<TwoRuns> pieces;
    std::vector<int32_t*> outs{merged.data()};
    std::vector<int64_t> joined{0};
    for (size_t k = 0; k + 1 < parts.size(); k += 2) {
      const int32_t *const at = order.data(), *const middle = at + parts[k + 1];
      joined.push_back(parts[std::min(k + 2, parts.size() - 1)]);
      for (TwoRuns left{at + parts[k], middle, middle, at + joined.back()}; left.size() > 0;) {
        pieces.push_back(merger.take(&left, std::min(most, left.size())));
        outs.push_back(outs.back() + pieces.back().size());
      }
    }
    run(static_cast<int64_t>(pieces.size()),
        [&](int64_t i) { merger.merge(pieces[static_cast<size_t>(i)], outs[static_cast<size_t>(i)]); });
    parts.swap(joined);
  }
}

}  // namespace stringops::kernels
