// How long the regular-expression engine may take over a text.
//
// RE2 looks at a text once, in time that grows with it. But the longest match can ask for a look at all that follows,
// and then each token asks for one of its own: `a.*b|a` in a text of many a and no b takes time that grows with the
// square of the text. Whoever sends such a text must not hold a thread for hours, so that is given up. What the engine
// does not look at twice costs below 0.2 us a byte; without an automaton (a pattern whose states fill its memory) 1.5.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

namespace stringops {

class TimeBudget {
 public:
  // `advanced` bytes are done with.
  void add(int64_t advanced) { advanced_ += advanced; }

  // After a search that could look at `ahead` bytes, where the next one begins `advanced` bytes later: false where more
  // time has passed than what is done with is worth.
  bool allows(int64_t ahead, int64_t advanced) {
    advanced_ += advanced;
    unobserved_ += ahead;
    if (unobserved_ < kUnobserved) return true;
    unobserved_ = 0;
    return !is_spent();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Duration = std::chrono::nanoseconds;

  // Looks at the clock cost 30 ns, as much as a search of 100 bytes.
  static constexpr int64_t kUnobserved = 1 << 20;  // bytes
  static constexpr Duration kFree = std::chrono::seconds(1);
  static constexpr Duration kPerByte = std::chrono::microseconds(2);

  bool is_spent() {
    const Clock::time_point now = Clock::now();
    if (!started_) {
      started_ = true;
      begin_ = now;
      cpu_begin_ = cpu_time();
    }
    const Duration limit = kFree + kPerByte * advanced_;
    // Time that the thread has waited for a processor is not the text's fault; to ask for it takes a system call.
    return now - begin_ > limit && cpu_time() - cpu_begin_ > limit;
  }

  static Duration cpu_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
  }

  int64_t advanced_ = 0;
  int64_t unobserved_ = 0;
  bool started_ = false;  // at the first look
  Clock::time_point begin_;
  Duration cpu_begin_{};
};

}  // namespace stringops
