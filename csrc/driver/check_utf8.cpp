#include "driver/check_utf8.h"

#include <optional>
#include <vector>

#include "core/fail.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {

std::optional<Position> find_invalid(const StringSpan& in, Position begin, Position end) {
  BlockReader reader(in, begin, end);
  Block block;
  std::optional<Position> found;
  while (!found && reader.next(block)) found = find_invalid(in, simd::primitives(), block);
  return found;
}

void check_utf8(const char* op, const std::optional<Position>& invalid) {
  STRINGOPS_CHECK(!invalid, op, ": invalid UTF-8 in row ", invalid->index, " at byte ", invalid->skip);
}

void check_utf8(const char* op, const Runner& runner, const StringSpan& in) {
  constexpr Cost kCost{2, 0.05};
  const Partition partition = divide_evenly(in, runner.choose_tasks(runner.time_of(in, kCost)), false);
  std::vector<std::optional<Position>> invalid(static_cast<size_t>(partition.tasks));
  runner.run(partition.tasks, [&](int64_t t) {
    invalid[static_cast<size_t>(t)] = find_invalid(in, partition.begin(t), partition.end(t));
  });
  for (const std::optional<Position>& found : invalid) check_utf8(op, found);
}

}  // namespace stringops::kernels
