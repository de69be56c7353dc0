// Kernels on many threads.
//
//   threads race THREADS CALLS    under ThreadSanitizer: the tasks of one call on several threads; then calls of all
//                                 kinds at the same time, while patterns are compiled and dropped, and tiers switched
//   threads damage SECONDS        under AddressSanitizer: another thread keeps writing the arguments; any result is
//                                 accepted, as long as there is no access outside the buffers
#include <chrono>
#include <random>
#include <thread>

#include <atomic>
#include <functional>

#include "driver/testing.h"
#include "regex/pattern.h"
#include "vocabulary.h"
#include "world.h"

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

// Strings of up to max_words words of all sizes, with separators of all kinds.
Strings make_strings(int64_t rows, int64_t cols, int64_t max_words, uint32_t seed) {
  static constexpr std::string_view kWords[] = {"to",
                                                "be",
                                                "or",
                                                "not",
                                                " ",
                                                ",",
                                                "\t",
                                                "question",
                                                "\xC3\xA9t\xC3\xA9",
                                                "\xE6\x97\xA5\xE6\x9C\xAC",
                                                "\xE3\x80\x80",
                                                ", ",
                                                "a",
                                                "internationalisation"};
  std::mt19937 random(seed);
  std::string text;
  std::vector<int32_t> offsets;
  for (int64_t r = 0; r < rows; ++r) {
    offsets.push_back(static_cast<int32_t>(text.size()));
    for (int64_t c = 0; c < cols; ++c) {
      for (int64_t i = static_cast<int64_t>(random() % static_cast<uint32_t>(max_words + 1)); i > 0; --i) {
        text += kWords[random() % std::size(kWords)];
      }
      offsets.push_back(static_cast<int32_t>(text.size()));
    }
  }
  Strings s{bytes_of(text), Exact<int32_t>(offsets), {}};
  s.span = {s.data.data(), s.data.size(), s.offsets.data(), rows, cols};
  return s;
}

}  // namespace

World::World(int64_t rows)
    : strings(make_strings(rows, 8, 12, 1)),
      other(make_strings(rows, 8, 12, 1)),
      long_ones(make_strings(2, 3, 300 * rows, 2)) {
  std::unordered_map<std::string, int64_t> ids;
  table = build_table(distinct(strings.values(), &ids).span);
}

namespace {

// Arguments that another thread writes may be rejected with any error.
Result result_of(const SharedCall& call, const World& world, const Runner& runner) {
  try {
    return call.run(world, runner);
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
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

int race(int num_threads, int64_t num_calls) {
  for (const bool backwards : {false, true}) check_first_error(LoopRunner(num_threads, backwards), num_threads);
  for (int repetition = 0; repetition < 10; ++repetition) check_first_error(ThreadRunner(num_threads), num_threads);
  const World large(400), small(4);
  std::vector<Result> want, want_small;
  const std::vector<SharedCall>& calls = shared_calls();
  for (const SharedCall& call : calls) {
    want.push_back(call.run(large, LoopRunner()));
    want_small.push_back(call.run(small, LoopRunner()));
    REQUIRE(want.back() && want_small.back());
  }
  for (int64_t tasks = 2; tasks <= num_threads; ++tasks) {
    for (size_t k = 0; k < calls.size(); ++k) REQUIRE(calls[k].run(large, ThreadRunner(tasks)) == want[k]);
  }
  on_threads(num_threads, [&](int64_t thread) {
    std::mt19937 random(static_cast<uint32_t>(thread));
    for (int64_t i = 0; i < num_calls; ++i) {
      const auto what = static_cast<uint32_t>(random());
      const size_t kind = what % calls.size();
      REQUIRE(calls[kind].run(small, LoopRunner()) == want_small[kind]);
      if (what >> 8 & 1)
        Pattern::compile("x" + std::to_string(what >> 16 & 127) + "+");  // twice as many as the cache keeps
      if (thread == 0) stringops_set_simd_tier(tiers()[(what >> 24) % tiers().size()].c_str());
    }
  });
  std::printf("threads: %zu kinds of calls shared by 2 to %d threads, then %d threads x %lld calls; tiers %s; equal\n",
              calls.size(), num_threads, num_threads, static_cast<long long>(num_calls), stringops_simd_tiers());
  return 0;
}

int damage(int seconds) {
  const World world(6);
  std::atomic<bool> stop{false};
  std::atomic<int64_t> rejected{0}, finished{0};
  std::thread vandal([&] {
    const Strings* const victims[] = {&world.strings, &world.other, &world.long_ones};
    const std::vector<int32_t> good[] = {victims[0]->offsets.copy(), victims[1]->offsets.copy(),
                                         victims[2]->offsets.copy()};
    std::mt19937 random(3);
    while (!stop) {
      const auto what = static_cast<uint32_t>(random());
      const Strings& victim = *victims[what % 3];
      const auto at = static_cast<int64_t>(random() % static_cast<uint32_t>(victim.offsets.size()));
      // Mostly restores the right value, so that calls get far before they detect the change.
      volatile int32_t& offset = victim.offsets[at];
      offset = what >> 8 & 3 ? good[what % 3][at] : what >> 10 & 1 ? static_cast<int32_t>(random()) : offset ^ 7;
      volatile uint8_t& byte = victim.data[static_cast<int64_t>(random() % static_cast<uint32_t>(victim.data.size()))];
      if ((what >> 12 & 15) == 0) byte = " ,a\xC3"[what >> 16 & 3];
      if ((what >> 20 & 63) == 0)
        world.table[static_cast<int64_t>(random() % static_cast<uint32_t>(world.table.size()))] ^= 1;
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  on_threads(2, [&](int64_t thread) {
    std::mt19937 random(static_cast<uint32_t>(thread));
    while (std::chrono::steady_clock::now() < end) {
      const auto what = static_cast<uint32_t>(random());
      if (thread == 0) stringops_set_simd_tier(tiers()[(what >> 24) % tiers().size()].c_str());
      const SharedCall& call = shared_calls()[what % shared_calls().size()];
      const bool complete = result_of(call, world, LoopRunner(1 + (what >> 8 & 3))).has_value();
      ++(complete ? finished : rejected);
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
