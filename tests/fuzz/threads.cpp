// Operators on many threads, which call the samples of their suites (operator_samples.h).
//
//   threads race THREADS CALLS    under ThreadSanitizer: the tasks of one call on several threads; then calls of all
//                                 operators at the same time on shared arguments, while patterns are compiled and
//                                 dropped, and tiers switched
//   threads damage SECONDS        under AddressSanitizer: another thread keeps writing the arguments; any result is
//                                 accepted, as long as there is no access outside the buffers
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "core/fail.h"
#include "driver/testing.h"
#include "fuzz.h"
#include "host/threads.h"
#include "operator_samples.h"

extern "C" void stringops_set_min_task_ns(double ns);

namespace stringops::fuzz {
namespace {

using kernels::LoopRunner;
using kernels::Runner;

void on_threads(int64_t count, const std::function<void(int64_t)>& task) {
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < count; ++i) threads.emplace_back(task, i);
  for (std::thread& thread : threads) thread.join();
}

// Runs each task on its own thread.
class ThreadRunner final : public Runner {
 public:
  explicit ThreadRunner(int64_t tasks) : tasks_(tasks) {}
  int64_t choose_tasks(double) const override { return tasks_; }

 protected:
  void run_tasks(int64_t count, void (*task)(int64_t, void*), void* context) const override {
    on_threads(count, [&](int64_t i) { task(i, context); });
  }

 private:
  const int64_t tasks_;
};

// Runs each part of a loop on its own thread.
class PartThreads final : public host::Threads {
 public:
  uint32_t count() const override { return 4; }
  bool run(size_t count, void (*part)(void*, size_t), void* context) const override {
    on_threads(static_cast<int64_t>(count), [&](int64_t i) { part(context, static_cast<size_t>(i)); });
    return true;
  }
};

// The samples, and what each gives.
struct SharedCall {
  const Operator* op;
  Call call;
  Outcome want;
};

std::vector<std::unique_ptr<SharedCall>> shared_calls() {
  std::vector<std::unique_ptr<SharedCall>> calls;
  for (const Operator& op : operators()) {
    for (const Sample& sample : samples_of(op)) {
      calls.push_back(std::make_unique<SharedCall>(SharedCall{&op, Call(op, sample.values), {}}));
      calls.back()->want = calls.back()->call.run();
    }
  }
  return calls;
}

// Tasks in any order, on any number of threads: the error is that of the first task that fails.
void check_first_error(const Runner& runner, int64_t tasks) {
  for (int64_t first = 0; first < tasks; ++first) {
    std::string error;
    try {
      runner.run(tasks, [&](int64_t t) { STRINGOPS_CHECK(t < first, t); });
    } catch (const std::invalid_argument& caught) {
      error = caught.what();
    }
    REQUIRE(error == std::to_string(first));
  }
}

void check(const SharedCall& shared) {
  const Outcome outcome = shared.call.run();
  if (outcome == shared.want) return;
  std::fprintf(stderr, "%s gives another result, at the same time as other calls\n", shared.op->schema.name.c_str());
  std::abort();
}

int race(int num_threads, int64_t num_calls) {
  for (const bool backwards : {false, true}) check_first_error(LoopRunner(num_threads, backwards), num_threads);
  for (int repetition = 0; repetition < 10; ++repetition) check_first_error(ThreadRunner(num_threads), num_threads);
  const auto calls = shared_calls();
  stringops_set_min_task_ns(1e-3);
  {
    const PartThreads parts;
    const host::UsedThreads used(&parts);
    for (const auto& shared : calls) check(*shared);
  }
  on_threads(num_threads, [&](int64_t thread) {
    std::mt19937 random(static_cast<uint32_t>(thread));
    for (int64_t i = 0; i < num_calls; ++i) {
      const auto what = static_cast<uint32_t>(random());
      if (thread == 0) stringops_set_simd_tier(tiers()[(what >> 24) % tiers().size()].c_str());
      check(*calls[what % calls.size()]);
    }
  });
  std::printf("threads: %d threads, %lld calls each of %zu samples\n", num_threads, static_cast<long long>(num_calls),
              calls.size());
  return 0;
}

// Writes elements of the arguments. Mostly restores the right value, so that calls get far before they detect the
// change.
void write_arguments(const std::vector<std::unique_ptr<SharedCall>>& calls, const std::atomic<bool>& stop) {
  std::mt19937 random(3);
  std::vector<std::vector<uint8_t>> good;
  for (const auto& shared : calls) {
    for (const host::Result& tensor : shared->call.tensors()) {
      const auto* const data = static_cast<const uint8_t*>(tensor->data);
      good.emplace_back(data, data + tensor->num_bytes());
    }
  }
  while (!stop) {
    size_t number = 0;
    for (const auto& shared : calls) {
      for (const host::Result& tensor : shared->call.tensors()) {
        const std::vector<uint8_t>& right = good[number++];
        if (right.empty() || tensor->type->torch == torch::headeronly::ScalarType::Bool) continue;  // 0 or 1 only
        const auto what = static_cast<uint32_t>(random());
        const size_t at = random() % right.size();
        volatile uint8_t& byte = static_cast<uint8_t*>(tensor->data)[at];
        byte = what % 64 ? right[at] : what % 128 ? static_cast<uint8_t>(what >> 8) : static_cast<uint8_t>(byte ^ 7);
      }
    }
  }
}

int damage(int seconds) {
  const auto calls = shared_calls();
  stringops_set_min_task_ns(1e-3);
  std::atomic<bool> stop{false};
  std::atomic<int64_t> rejected{0}, finished{0};
  std::thread vandal([&] { write_arguments(calls, stop); });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  on_threads(2, [&](int64_t thread) {
    std::mt19937 random(static_cast<uint32_t>(thread));
    while (std::chrono::steady_clock::now() < end) {
      const auto what = static_cast<uint32_t>(random());
      if (thread == 0) stringops_set_simd_tier(tiers()[(what >> 24) % tiers().size()].c_str());
      ++(calls[what % calls.size()]->call.run().is_error ? rejected : finished);
    }
  });
  stop = true;
  vandal.join();
  std::printf("threads: %lld calls while another thread wrote their arguments: %lld rejected, %lld finished\n",
              static_cast<long long>(rejected + finished), static_cast<long long>(rejected),
              static_cast<long long>(finished));
  return 0;
}

}  // namespace
}  // namespace stringops::fuzz

extern "C" const char* __asan_default_options() {
  return "abort_on_error=1";
}

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "race" && argc == 4) return stringops::fuzz::race(std::atoi(argv[2]), std::atoll(argv[3]));
  if (mode == "damage" && argc == 3) return stringops::fuzz::damage(std::atoi(argv[2]));
  std::fprintf(stderr, "threads race THREADS CALLS | threads damage SECONDS\n");
  return 2;
}
