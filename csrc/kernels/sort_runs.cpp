#include "kernels/sort_runs.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/narrow.h"
#include "core/poll.h"
#include "core/testing.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kCompared = block_size(256, 4);  // pairs of strings that are compared at once
constexpr int64_t kRunStrings = 64;                // of a run, in the mean, if runs are merged
constexpr int64_t kMergeSteps = 16;                // nanoseconds to merge a string

}  // namespace

void RunMerger::merge(TwoRuns runs, int32_t* out) const {
  Pace pace;
  const bool both = runs.left < runs.left_end && runs.right < runs.right_end;
  if (both && is_before(load_at(*runs.right), load_at(runs.left_end[-1]))) {
    Prefixed a = load_at(*runs.left), b = load_at(*runs.right);
    for (;;) {
      pace.spend(kMergeSteps);
      if (is_before(b, a)) {
        *out++ = *runs.right++;
        if (runs.right == runs.right_end) break;
        b = load_at(*runs.right);
      } else {
        *out++ = *runs.left++;
        if (runs.left == runs.left_end) break;
        a = load_at(*runs.left);
      }
    }
  }
  std::copy(runs.right, runs.right_end, std::copy(runs.left, runs.left_end, out));
}

TwoRuns RunMerger::take(TwoRuns* runs, int64_t count) const {
  int64_t low = std::max<int64_t>(0, count - (runs->right_end - runs->right)),
          high = std::min(count, static_cast<int64_t>(runs->left_end - runs->left));
  while (low < high) {
    const int64_t i = low + (high - low) / 2;
    if (is_before(load_at(runs->right[count - i - 1]), load_at(runs->left[i]))) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  const TwoRuns taken{runs->left, runs->left + low, runs->right, runs->right + (count - low)};
  runs->left = taken.left_end;
  runs->right = taken.right_end;
  return taken;
}

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
  merge_parts(RunMerger(in, descending), std::move(runs), 1, order, [](int64_t count, auto&& merge) {
    for (int64_t i = 0; i < count; ++i) merge(i);
  });
  return true;
}

}  // namespace stringops::kernels
