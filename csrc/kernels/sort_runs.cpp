// Sorted runs of strings: a row that consists of few of them is merged, not sorted.
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "core/narrow.h"
#include "core/poll.h"
#include "core/testing.h"
#include "kernels/sort.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kCompared = block_size(256, 4);  // pairs of strings that are compared at once
constexpr int64_t kRunStrings = 64;                // of a run, in the mean, if runs are merged
constexpr int64_t kMergeSteps = 16;                // nanoseconds to merge a string

// Merges sorted runs of the positions of strings. Equal strings keep their order.
class RunMerger {
 public:
  RunMerger(const StringSpan& in, bool descending) : in_(in), descending_(descending) {}

  // Writes the positions [first, middle) and [middle, last), each of which are sorted. If the bytes of strings change,
  // it still writes each position once.
  void merge(const int32_t* first, const int32_t* middle, const int32_t* last, int32_t* out) {
    const int32_t *left = first, *right = middle;
    if (right < last && is_before(load_at(*right), load_at(middle[-1]))) {
      Prefixed a = load_at(*left), b = load_at(*right);
      for (;;) {
        pace_.spend(kMergeSteps);
        if (is_before(b, a)) {
          *out++ = *right++;
          if (right == last) break;
          b = load_at(*right);
        } else {
          *out++ = *left++;
          if (left == middle) break;
          a = load_at(*left);
        }
      }
    }
    std::copy(right, last, std::copy(left, middle, out));
  }

 private:
  Prefixed load_at(int32_t position) const { return load(in_, in_.range(position)); }
  bool is_before(const Prefixed& a, const Prefixed& b) const {
    return descending_ ? compare(a, b) > 0 : compare(a, b) < 0;
  }

  const StringSpan& in_;
  const bool descending_;
  Pace pace_;
};

}  // namespace

bool merge_runs(const StringSpan& in, bool descending, std::vector<int32_t>& order) {
  const int64_t size = in.size(), pairs = size - 1;
  const std::unique_ptr<int8_t[]> orders(new int8_t[static_cast<size_t>(pairs)]);
  std::vector<int64_t> runs{0};  // where they begin
  bool has_rise = false;
  Pace pace;
  for (int64_t i = 0, count; i < pairs; i += count) {
    count = std::min(pairs - i, kCompared);
    const int32_t* const at = in.offsets + i;
    const simd::StringRun strings{in.data, in.num_bytes, at, at + 1, false},
        next{in.data, in.num_bytes, at + 1, at + 2, false};
    descending ? simd::primitives().compare_strings(next, strings, count, orders.get() + i)
               : simd::primitives().compare_strings(strings, next, count, orders.get() + i);
    pace.spend(kMergeSteps * count);
    for (int64_t k = i; k < i + count; ++k) {
      has_rise |= orders[static_cast<size_t>(k)] < 0;
      if (orders[static_cast<size_t>(k)] > 0) runs.push_back(k + 1);
    }
    if (has_rise && static_cast<int64_t>(runs.size()) * kRunStrings > i + count + kCompared) return false;
  }
  if (!has_rise) {  // equal strings, which are adjacent, keep their order
    for (int64_t last = size, first; last > 0; last = first) {
      for (first = last - 1; first > 0 && orders[static_cast<size_t>(first - 1)] == 0;) --first;
      std::iota(order.begin() + (size - last), order.begin() + (size - first), narrow<int32_t>(first));
    }
    return true;
  }
  std::iota(order.begin(), order.end(), 0);
  runs.push_back(size);
  RunMerger merger(in, descending);
  // Two adjacent runs at a time.
  std::vector<int32_t> merged(runs.size() > 2 ? order.size() : 0);
  for (std::vector<int64_t> joined; runs.size() > 2; order.swap(merged), runs.swap(joined)) {
    joined = {0};
    for (size_t k = 0; k + 1 < runs.size(); k += 2) {
      const int32_t* const at = order.data();
      const int64_t last = runs[std::min(k + 2, runs.size() - 1)];
      merger.merge(at + runs[k], at + runs[k + 1], at + last, merged.data() + runs[k]);
      joined.push_back(last);
    }
  }
  return true;
}

}  // namespace stringops::kernels
