// How drivers run their tasks. Operators use torch's threads (ops/parallel.h); fuzz targets, instruction counts and
// sanitizers use loops or threads of their own, so that all of them execute the same code.
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

  // The number of threads that tasks may run on.
  virtual int64_t num_threads() const = 0;

  // How many tasks to divide work of this cost into. The unit is about the cost of splitting one byte. One task if
  // waking a thread would cost more, else several per thread, so that one slow task does not delay the call.
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

  // Calls f(first, last) for ranges that divide [0, count) evenly, one per task.
  template <class F>
  void run_ranges(int64_t count, int64_t cost, F&& f) const {
    const int64_t tasks = std::min(count, choose_tasks(cost));
    run(tasks, [&](int64_t t) { f(count * t / tasks, count * (t + 1) / tasks); });
  }

  // The cost of strings: `bytes_per_string` for each, plus the bytes they cover (`data` may be much larger). Stops
  // adding up rows once a higher cost would not give more tasks.
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
