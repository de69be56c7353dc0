#include "split/partition.h"

#include <algorithm>

#include "core/offsets.h"
#include "split/blocks.h"
#include "split/overlap.h"

namespace stringops::kernels {
namespace {

// Strings shorter than this are not divided among tasks.
constexpr int64_t kLongString = 8 * kBlockBytes;

}  // namespace

std::atomic<int64_t> overlap_limit{kMaxBytes};

Partition divide_evenly(const StringSpan& span, int64_t tasks, bool inside_strings, int64_t max_tasks) {
  Partition partition;
  partition.tasks = std::clamp<int64_t>(tasks, 1, max_tasks);
  partition.positions.resize(static_cast<size_t>(partition.tasks) + 1);
  const int64_t size = span.size();
  partition.positions.back() = {size, 0};
  if (size == 0 || partition.tasks == 1) return partition;
  const bool contiguous = has_contiguous_offsets(span);
  const int64_t first = span.row_offsets(0)[0];
  const int64_t total = span.row_offsets(span.rows - 1)[span.cols] - first;
  Position before;
  for (int64_t task = 1; task < partition.tasks; ++task) {
    Position at{size * task / partition.tasks, 0};
    if (contiguous) {
      // The string that holds the byte at `target`: the last row that begins at or before it, then within that row.
      const int64_t target = first + total * task / partition.tasks;
      int64_t low = 0, high = span.rows;
      while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        (span.row_offsets(middle)[0] <= target ? low : high) = middle;
      }
      const int32_t* offsets = span.row_offsets(low);
      const int64_t col =
          std::clamp<int64_t>(std::upper_bound(offsets, offsets + span.cols, target) - offsets - 1, 0, span.cols - 1);
      at = {low * span.cols + col, 0};
      const ByteRange range = span.range(low, col);
      if (inside_strings && range.size() >= kLongString) {
        at.skip = std::clamp<int64_t>(target - range.begin, 0, range.size() - 1);
      }
    }
    if (at < before) at = before;
    partition.positions[static_cast<size_t>(task)] = before = at;
  }
  return partition;
}

}  // namespace stringops::kernels

STRINGOPS_TEST_HOOK void stringops_set_overlap_limit(int64_t limit) {
  stringops::kernels::overlap_limit = limit;
}
