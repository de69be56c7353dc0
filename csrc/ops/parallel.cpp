#include "ops/parallel.h"

#include <pthread.h>

#include <algorithm>

#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr int64_t kSerialCost = 32 * 1024;  // about what waking a thread costs, in bytes split
constexpr int64_t kTasksPerThread = 4;

bool in_forked_child = false;

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { in_forked_child = true; });

struct Job {
  void (*task)(int64_t, void*);
  void* context;
  int64_t count;
  std::atomic<int64_t> next{0};
};

}  // namespace

int64_t num_threads() {
  if (in_forked_child) return 1;
  uint32_t threads = 1;
  STABLE_TORCH_ERROR_CODE_CHECK(torch_get_num_threads(&threads));
  return threads;
}

int64_t choose_tasks(int64_t cost) {
  if (cost < kSerialCost) return 1;
  const int64_t threads = num_threads();
  if (threads == 1) return 1;
  return std::min(threads * kTasksPerThread, cost / (kSerialCost / 2));
}

int64_t strings_cost(const StringSpan& in, int64_t bytes_per_string) {
  const int64_t enough = num_threads() * kTasksPerThread * (kSerialCost / 2);
  int64_t cost = in.size() * bytes_per_string;
  for (int64_t row = 0; row < in.rows && cost < enough; ++row) {
    const int32_t* const offsets = in.row_offsets(row);
    cost += std::max<int64_t>(0, int64_t{offsets[in.cols]} - offsets[0]);  // negative only after a concurrent write
  }
  return cost;
}

void detail::run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) {
  if (count <= 1) {
    for (int64_t i = 0; i < count; ++i) task(i, context);
    return;
  }
  // Each thread takes the next task when it is done with one: parallel_for alone would deal them out in advance.
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
