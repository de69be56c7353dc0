// How drivers run their tasks. Operators run them on torch's threads (ops/parallel.h); fuzz targets, instruction counts
// and sanitizers in loops and threads of their own, so that all of them execute the same code.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "core/string_span.h"

namespace stringops::kernels {

class Runner {
 public:
  virtual ~Runner() = default;

  // Threads that tasks may run on.
  virtual int64_t num_threads() const = 0;

  // How many tasks to divide `cost` into, in units of about a byte split: 1 below the cost of waking a thread, else
  // several for each thread, so that a slow task does not hold the others up.
  virtual int64_t choose_tasks(int64_t cost) const {
    if (cost < kSerialCost) return 1;
    const int64_t threads = num_threads();
    return threads == 1 ? 1 : std::min(threads * kTasksPerThread, cost / (kSerialCost / 2));
  }

  // Calls task(i) for each i in [0, count). The first exception is rethrown after all tasks have ended.
  template <class Task>
  void run(int64_t count, Task&& task) const {
    if (count == 1) {
      task(int64_t{0});
      return;
    }
    struct Context {
      std::remove_reference_t<Task>& task;
      std::atomic_flag failed = ATOMIC_FLAG_INIT;
      std::exception_ptr error;
    } context{task, {}, {}};
    run_tasks(
        count,
        [](int64_t i, void* pointer) {
          auto& c = *static_cast<Context*>(pointer);
          try {
            c.task(i);
          } catch (...) {
            if (!c.failed.test_and_set()) c.error = std::current_exception();
          }
        },
        &context);
    if (context.error) std::rethrow_exception(context.error);
  }

  // Calls f(first, last) for ranges that together are [0, count), as many as `cost` is worth.
  template <class F>
  void run_ranges(int64_t count, int64_t cost, F&& f) const {
    const int64_t tasks = std::min(count, choose_tasks(cost));
    run(tasks, [&](int64_t t) { f(count * t / tasks, count * (t + 1) / tasks); });
  }

  // The cost of strings: `bytes_per_string` for each, and the bytes they cover, not those of `data`, of which they may
  // be a small slice. Rows are only added up until more cost would make no more tasks.
  int64_t cost_of(const StringSpan& in, int64_t bytes_per_string) const {
    const int64_t enough = num_threads() * kTasksPerThread * (kSerialCost / 2);
    int64_t cost = in.size() * bytes_per_string;
    for (int64_t row = 0; row < in.rows && cost < enough; ++row) {
      const int32_t* const offsets = in.row_offsets(row);
      cost += std::max<int64_t>(0, int64_t{offsets[in.cols]} - offsets[0]);  // negative only after a concurrent write
    }
    return cost;
  }

 protected:
  // Calls task(i, context), which does not throw, for each i in [0, count).
  virtual void run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) const = 0;

 private:
  static constexpr int64_t kSerialCost = 32 * 1024;
  static constexpr int64_t kTasksPerThread = 4;
};

}  // namespace stringops::kernels
