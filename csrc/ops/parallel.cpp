#include "ops/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>

#include "ops/stable_abi.h"

namespace stringops {
namespace {

bool in_forked_child = false;

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { in_forked_child = true; });

struct Job {
  void (*task)(int64_t, void*);
  void* context;
  int64_t count;
  std::atomic<int64_t> next{0};
};

}  // namespace

int64_t TorchRunner::num_threads() const {
  if (in_forked_child) return 1;
  uint32_t threads = 1;
  STABLE_TORCH_ERROR_CODE_CHECK(torch_get_num_threads(&threads));
  return threads;
}

void TorchRunner::run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) const {
  if (count <= 0) return;
  // Each thread takes the next task when it has finished one; parallel_for alone would divide them in advance. Tasks do
  // not throw, as an exception would lose its type and text in parallel_for.
  Job job{task, context, count};
  STABLE_TORCH_ERROR_CODE_CHECK(torch_parallel_for(
      0, std::min(count, num_threads()), 1,
      [](int64_t, int64_t, void* pointer) {
        auto& j = *static_cast<Job*>(pointer);
        for (int64_t i; (i = j.next.fetch_add(1, std::memory_order_relaxed)) < j.count;) j.task(i, j.context);
      },
      &job));
}

}  // namespace stringops
