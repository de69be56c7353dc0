#include "driver/check_utf8.h"

#include <optional>
#include <vector>

#include "core/fail.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {

void check_utf8(const char* op, const Runner& runner, const StringSpan& in) {
  constexpr Cost kCost{2, 0.05};
  const Partition partition = divide_evenly(in, runner.choose_tasks(runner.time_of(in, kCost)), false);
  std::vector<std::optional<Position>> invalid(static_cast<size_t>(partition.tasks));
  runner.run(partition.tasks, [&](int64_t t) {
    const simd::Primitives& simd = simd::primitives();
    BlockReader reader(in, partition.begin(t), partition.end(t));
    Block block;
    std::optional<Position>& found = invalid[static_cast<size_t>(t)];
    while (!found && reader.next(block)) found = find_invalid(in, simd, block);
  });
  for (const std::optional<Position>& found : invalid) {
    STRINGOPS_CHECK(!found, op, ": invalid UTF-8 in row ", found->index, " at byte ", found->skip);
  }
}

}  // namespace stringops::kernels
