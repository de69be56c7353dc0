#include "split/partition.h"

#include <algorithm>

#include "split/blocks.h"

namespace stringops::kernels {
namespace {

// Strings shorter than this are not divided among tasks.
constexpr int64_t kLongString = 8 * kBlockBytes;

}  // namespace

Partition divide_evenly(const StringSpan& span, int64_t tasks, bool inside_strings) {
  Partition partition;
  partition.tasks = std::clamp<int64_t>(tasks, 1, Partition::kMaxTasks);
  partition.positions.resize(static_cast<size_t>(partition.tasks) + 1);
  const int64_t size = span.size();
  partition.positions.back() = {size, 0};
  if (size == 0 || partition.tasks == 1) return partition;
  const int32_t* const offsets = span.offsets;
  const int64_t first = offsets[0], total = offsets[size] - first;
  Position before;
  for (int64_t task = 1; task < partition.tasks; ++task) {
    // The string that holds the byte at `target`.
    const int64_t target = first + total * task / partition.tasks;
    const int64_t index =
        std::clamp<int64_t>(std::upper_bound(offsets, offsets + size, target) - offsets - 1, 0, size - 1);
    Position at{index, 0};
    const ByteRange range = span.range(index);
    if (inside_strings && range.size() >= kLongString) {
      at.skip = std::clamp<int64_t>(target - range.begin, 0, range.size() - 1);
    }
    if (at < before) at = before;
    partition.positions[static_cast<size_t>(task)] = before = at;
  }
  return partition;
}

}  // namespace stringops::kernels
