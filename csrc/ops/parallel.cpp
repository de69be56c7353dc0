#include "ops/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "core/platform.h"
#include "core/testing.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

// Waking a thread that sleeps takes up to 50 microseconds, and the call waits for it even if no task is left by then.
constexpr double kMinTaskNs = 25'000;
constexpr int64_t kMinTasks = 4;  // fewer are run as one
constexpr int64_t kTasksPerThread = 4;
// Longer work is divided into short tasks, on one thread too, because signals are checked between tasks.
constexpr double kLongNs = 20'000'000, kLongTaskNs = 4'000'000;
constexpr int64_t kMaxLongTasks = 64;  // each task keeps memory between its passes
// torch wakes all of its threads. If there are more threads than cores, that takes 0.2 ms, so shorter work is run as
// one task.
constexpr double kMinCrowdedNs = 1'000'000;

std::atomic<double> min_task_ns{kMinTaskNs};

bool in_forked_child = false;

[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, [] { in_forked_child = true; });

struct Job {
  void (*task)(int64_t, void*);
  void* context;
  int64_t count;
  std::atomic<int64_t> next{0};
  std::atomic<int32_t> done{0};            // the tasks that have ended
  std::atomic<bool> is_waited_for{false};  // whether the thread of the call waits for `done`

  void run_tasks() {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      task(i, context);
      if (done.fetch_add(1) + 1 == count && is_waited_for) wake(done);
    }
  }

  // Runs on the thread of the call, which polls while it waits for the tasks of others.
  void wait(int64_t poll_task) {
    // The thread spins before it sleeps, because waking takes time. A turn may take long if other processes use the
    // core.
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(1);
    while (done < count && Clock::now() < end) sched_yield();
    is_waited_for = true;
    for (int32_t ended; (ended = done) < count;) {
      wait_while(done, ended);
      task(poll_task, context);
    }
  }
};

struct Threads {
  int64_t count;
  bool are_crowded;  // torch has more threads than cores
};

// Returns torch's setting, but at most one thread per core that the process may use: more would wait for each other's
// turns. It is one in a child of fork(): the thread pool does not survive fork(), so a parallel region would hang.
Threads usable_threads() {
  if (in_forked_child) return {1, false};
  uint32_t threads = 1;
  STABLE_TORCH_ERROR_CODE_CHECK(torch_get_num_threads(&threads));
  const int64_t cores = threads == 1 ? 0 : usable_cores();
  if (cores == 0) return {threads, false};
  const int64_t count = std::min<int64_t>(threads, cores);
  return {count, count < threads};
}

}  // namespace

int64_t TorchRunner::choose_tasks(double ns) const {
  const double task_ns = min_task_ns.load(std::memory_order_relaxed);
  const auto tasks = static_cast<int64_t>(std::min(ns / task_ns, 1e9));
  if (tasks < kMinTasks) return 1;
  const int64_t long_tasks = ns < kLongNs ? 1 : std::min(static_cast<int64_t>(ns / kLongTaskNs), kMaxLongTasks);
  const Threads threads = usable_threads();
  if (threads.count == 1) return long_tasks;
  // Tests that divide small work have more threads than cores.
  if (threads.are_crowded && ns < kMinCrowdedNs && task_ns == kMinTaskNs) return 1;
  return std::max(std::min(threads.count * kTasksPerThread, tasks), long_tasks);
}

int64_t TorchRunner::choose_parts(double ns) const {
  return std::min(choose_tasks(ns), usable_threads().count);
}

void TorchRunner::run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) const {
  if (count <= 0) return;
  // Each thread takes the next task when it has finished one; parallel_for alone would divide the tasks in advance.
  // Tasks do not throw, because an exception would lose its type and text in parallel_for.
  Job job{task, context, count};
  const int64_t threads = std::min(count, usable_threads().count);
  if (threads == 1) return job.run_tasks();
  STABLE_TORCH_ERROR_CODE_CHECK(torch_parallel_for(
      0, threads, 1,
      [](int64_t first, int64_t, void* pointer) {
        auto& j = *static_cast<Job*>(pointer);
        j.run_tasks();
        // The thread of the call has the first part.
        if (first == 0) j.wait(kOnlyPolls);
      },
      &job));
}

}  // namespace stringops

STRINGOPS_TEST_HOOK void stringops_set_min_task_ns(double ns) {
  stringops::min_task_ns = ns > 0 ? ns : stringops::kMinTaskNs;
}

STRINGOPS_TEST_HOOK int64_t stringops_choose_tasks(double ns) {
  return stringops::TorchRunner().choose_tasks(ns);
}
