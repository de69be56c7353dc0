// Results of unknown size, in two passes: tasks measure what they will write, the sums say where each task writes, and
// the memory is allocated in between. A task whose arguments changed between the passes stops at the end of its range,
// and the call is an error.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/fail.h"
#include "kernels/driver/runner.h"

namespace stringops::kernels {

// Item `begin(t)` is the first of task t.
struct EvenTasks {
  int64_t count;
  int64_t tasks;

  int64_t begin(int64_t task) const { return count * task / tasks; }
};

// measure(t) returns the bytes of task t, check(t) throws what it found wrong. Returns the first byte of each task, and
// last the sum of all, which int32 offsets can address.
template <class Measure, class Check>
std::vector<int64_t> measure_tasks(const char* op, const Runner& runner, int64_t tasks, Measure&& measure,
                                   Check&& check) {
  std::vector<int64_t> first_bytes(static_cast<size_t>(tasks) + 1, 0);
  runner.run(tasks, [&](int64_t t) { first_bytes[static_cast<size_t>(t) + 1] = measure(t); });
  for (size_t t = 0; t < static_cast<size_t>(tasks); ++t) {
    check(t);
    first_bytes[t + 1] += first_bytes[t];
    check_result_bytes(op, first_bytes[t + 1]);
  }
  return first_bytes;
}

template <class Measure>
std::vector<int64_t> measure_tasks(const char* op, const Runner& runner, int64_t tasks, Measure&& measure) {
  return measure_tasks(op, runner, tasks, measure, [](size_t) {});
}

// write(t) returns whether task t wrote exactly what it measured.
template <class Write>
void write_tasks(const char* op, const Runner& runner, int64_t tasks, Write&& write) {
  std::atomic<bool> complete{true};
  runner.run(tasks, [&](int64_t t) {
    if (!write(t)) complete = false;
  });
  check_unchanged(op, complete);
}

// The same, of write(t, at, limit): task t writes the bytes [at, limit) that measure_tasks gave it.
template <class Write>
void write_tasks(const char* op, const Runner& runner, const std::vector<int64_t>& first_bytes, Write&& write) {
  write_tasks(op, runner, static_cast<int64_t>(first_bytes.size()) - 1, [&](int64_t t) {
    const auto i = static_cast<size_t>(t);
    return write(t, first_bytes[i], first_bytes[i + 1]);
  });
}

}  // namespace stringops::kernels
