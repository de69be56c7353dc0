// Runs the tasks of drivers. Operators use torch's threads (ops/parallel.h); fuzz targets, instruction counts and
// sanitizers use loops or threads of their own, so that all of them execute the same code.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "core/poll.h"
#include "core/string_span.h"

namespace stringops::kernels {

// The time of an operator on one thread. A guess within a factor of two suffices: it decides whether to wake threads.
struct Cost {
  double ns_per_string;
  double ns_per_byte;
};

class Runner {
 public:
  virtual ~Runner() = default;

  // Returns the number of tasks for work that takes one thread this long.
  virtual int64_t choose_tasks(double ns) const = 0;

  // Returns the number of tasks for work whose results must be merged, which takes time: at most one for each thread.
  virtual int64_t choose_parts(double ns) const { return choose_tasks(ns); }

  // Calls task(i) for each i in [0, count), and rethrows the exception of the first task that failed, by its number:
  // the same on any number of threads. Tasks after a failed one may not be called. An Interruption ends all tasks, and
  // precedes their exceptions.
  template <class Task>
  void run(int64_t count, Task&& task) const {
    if (count == 1) {
      task(int64_t{0});
      return;
    }
    struct Context {
      std::remove_reference_t<Task>& task;
      std::atomic<int64_t> failed{INT64_MAX};          // the first task that has failed so far
      std::atomic_flag is_writing = ATOMIC_FLAG_INIT;  // held while `error` changes
      std::exception_ptr error;

      void keep_error(int64_t i) {
        while (is_writing.test_and_set(std::memory_order_acquire)) continue;
        if (i < failed) {
          failed = i;
          error = std::current_exception();
        }
        is_writing.clear(std::memory_order_release);
      }
    } context{task, {INT64_MAX}, {}, {}};
    run_tasks(
        count,
        [](int64_t i, void* pointer) {
          auto& c = *static_cast<Context*>(pointer);
          if (i > c.failed.load(std::memory_order_relaxed)) return;
          const PollTask polls(c.failed);
          try {
            poll();
            if (i != kOnlyPolls) c.task(i);
          } catch (const Stopped&) {
            return;
          } catch (const Interruption&) {
            c.keep_error(-1);
          } catch (...) {
            c.keep_error(i);
          }
        },
        &context);
    if (context.error) std::rethrow_exception(context.error);
  }

  // Calls f(first, last) for ranges that divide [0, count) evenly, one per task; all of them take `ns` on one thread.
  template <class F>
  void run_ranges(int64_t count, double ns, F&& f) const {
    const int64_t tasks = std::min(count, choose_tasks(ns));
    run(tasks, [&](int64_t t) { f(count * t / tasks, count * (t + 1) / tasks); });
  }

  // Estimates the time of work on all strings: on each string, and on the bytes that they cover (`data` may be much
  // larger).
  static double time_of(const StringSpan& in, Cost cost) {
    const double bytes = double{0} + in.offsets[in.size()] - in.offsets[0];
    return static_cast<double>(in.size()) * cost.ns_per_string + cost.ns_per_byte * bytes;
  }

 protected:
  // A task that only polls.
  static constexpr int64_t kOnlyPolls = -1;

  // Calls task(i, context), which does not throw, for each i in [0, count). While it waits for other threads, it may
  // call task(kOnlyPolls, context).
  virtual void run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) const = 0;
};

}  // namespace stringops::kernels
