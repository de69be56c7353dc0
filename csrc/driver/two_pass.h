// Writes results of unknown size in two passes: tasks measure what they will write, the sums give the range that each
// task writes, the memory is allocated, and tasks write. A task whose arguments changed between the passes (race) stops
// at the end of its range, and the call fails.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/fail.h"
#include "driver/runner.h"

namespace stringops::kernels {

// `count` items divided evenly among tasks: task t has the items [begin(t), begin(t + 1)).
struct EvenTasks {
  int64_t count;
  int64_t tasks;

  int64_t begin(int64_t task) const { return count * task / tasks; }
};

// measure(t) returns the number of bytes of task t; check(t) throws if it found an error. Returns the position of each
// task's first byte, and at the end the total, which int32 offsets can address. All tasks are checked before the total,
// so that the error does not depend on their number.
template <class Measure, class Check>
std::vector<int64_t> measure_tasks(const char* op, const Runner& runner, int64_t tasks, Measure&& measure,
                                   Check&& check) {
  std::vector<int64_t> first_bytes(static_cast<size_t>(tasks) + 1, 0);
  runner.run(tasks, [&](int64_t t) { first_bytes[static_cast<size_t>(t) + 1] = measure(t); });
  for (size_t t = 0; t < static_cast<size_t>(tasks); ++t) check(t);
  for (size_t t = 0; t < static_cast<size_t>(tasks); ++t) {
    first_bytes[t + 1] = std::min(first_bytes[t] + first_bytes[t + 1], kTooMany);
  }
  check_result_bytes(op, first_bytes.back());
  return first_bytes;
}

template <class Measure>
std::vector<int64_t> measure_tasks(const char* op, const Runner& runner, int64_t tasks, Measure&& measure) {
  return measure_tasks(op, runner, tasks, measure, [](size_t) {});
}

// write(t) returns whether task t wrote exactly what it measured; the result is whether all did.
template <class Write>
bool try_write_tasks(const Runner& runner, int64_t tasks, Write&& write) {
  std::atomic<bool> complete{true};
  runner.run(tasks, [&](int64_t t) {
    if (!write(t)) complete = false;
  });
  return complete;
}

// Same as above with write(t, at, limit): task t writes the bytes [at, limit), according to measure_tasks.
template <class Write>
bool try_write_tasks(const Runner& runner, const std::vector<int64_t>& first_bytes, Write&& write) {
  return try_write_tasks(runner, static_cast<int64_t>(first_bytes.size()) - 1, [&](int64_t t) {
    const auto i = static_cast<size_t>(t);
    return write(t, first_bytes[i], first_bytes[i + 1]);
  });
}

// Same as above for arguments that were measured: if a task did not write exactly what it measured, they have changed,
// and the call fails. `tasks` is a number of tasks, or the positions of their first bytes.
template <class Tasks, class Write>
void write_tasks(const char* op, const Runner& runner, const Tasks& tasks, Write&& write) {
  check_unchanged(op, try_write_tasks(runner, tasks, write));
}

}  // namespace stringops::kernels
