// Running an operator's tasks on torch's threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "core/string_span.h"

namespace stringops {

// Threads that parallel_tasks may use: torch's setting, or 1 in a child of fork() (the pool did not survive the fork,
// and a parallel region would wait for it for ever).
int64_t num_threads();

namespace detail {
void run_tasks(int64_t count, void (*task)(int64_t, void*), void* context);
}

// Calls task(i) for each i in [0, count), on several threads where that pays. The first exception is rethrown after all
// tasks have stopped: torch's parallel_for loses the type and the text of what is thrown inside it.
template <class Task>
void parallel_tasks(int64_t count, Task&& task) {
  struct Context {
    Task& task;
    std::atomic_flag failed = ATOMIC_FLAG_INIT;
    std::exception_ptr error;
  } context{task, {}, {}};
  detail::run_tasks(
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

// How many tasks to cut `cost` units into (bytes, mostly): 1 below what a thread's wake-up costs, else several a
// thread, so that one slow task does not leave the others waiting.
int64_t choose_tasks(int64_t cost);

// The cost of strings: `bytes_per_string` for each, and the bytes they cover, not those of `data`, of which they may be
// a small slice. Rows are only added up until more cost would make no more tasks.
int64_t strings_cost(const StringSpan& in, int64_t bytes_per_string);

}  // namespace stringops
