// Regular expression searches that end in bounded time.
//
// RE2 searches a text in time proportional to its size, with two exceptions that an untrusted text or pattern can
// reach:
//
// The longest match can require reading all of the remaining text, for each match again: `a.*b|a` takes quadratic time
// on a text of many a and no b.
//
// If the states of an automaton exceed its memory, RE2 falls back to an algorithm that takes up to 10 ns per byte and
// instruction: `.*a.{900}` has thousands of instructions. RE2 cannot interrupt a search, so a potentially long one is
// first tried on the beginning of the text, then on four times as much, while time allows. An automaton takes less than
// 0.2 us per byte for any pattern.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "core/testing.h"
#include "regex/pattern.h"

namespace stringops {

class BoundedSearch {
 public:
  enum class Found { kNo, kYes, kTooSlow };

  // As Searcher::find. `text` may change in calls with `from` 0.
  Found find(Searcher& searcher, std::string_view text, int64_t from, Match* match) {
    const int64_t work = (static_cast<int64_t>(text.size()) - from) * searcher.pattern().num_instructions();
    unobserved_ += work;
    if (unobserved_ >= kUnobserved && !affords(searcher, text, from, work)) return Found::kTooSlow;
    return searcher.find(text, from, match) ? Found::kYes : Found::kNo;
  }

  // Counts bytes of text that have been processed; each allows more time.
  void advance(int64_t bytes) { advanced_ += bytes; }

 private:
  using Duration = std::chrono::nanoseconds;

  static constexpr Duration kFree = std::chrono::seconds(1);
  static constexpr Duration kPerByte = std::chrono::microseconds(2);
  static constexpr Duration kPerByteAhead = std::chrono::nanoseconds(500);  // of a single search

  // In bytes times instructions.
  static constexpr int64_t kUnobserved = block_size(1 << 23, 1 << 5);  // 0.08 s at most
  static constexpr int64_t kLong = block_size(1 << 25, 1 << 6);
  static constexpr int64_t kFirstTrial = block_size(1 << 22, 1 << 5);
  static constexpr int64_t kTrialEvery = block_size(1 << 16, 1 << 3);  // bytes

  bool affords(Searcher& searcher, std::string_view text, int64_t from, int64_t work) {
    unobserved_ = 0;
    if (is_spent()) return false;
    if (work < kLong || (from != 0 && from < next_trial_)) return true;
    next_trial_ = from + kTrialEvery;
    return try_out(searcher, text, from, work);
  }

  // Whether there is time to search all of `text`; the trials take a third of that time.
  bool try_out(Searcher& searcher, std::string_view text, int64_t from, int64_t work) {
    const auto ahead = static_cast<int64_t>(text.size()) - from;
    Match ignored{};
    int64_t part = 4;
    while (work / part > kFirstTrial) part *= 4;
    for (Duration before = time_of(kCpuClock); part > 1; part /= 4) {
      searcher.find(text.substr(0, static_cast<size_t>(from + ahead / part)), from, &ignored);
      const Duration after = time_of(kCpuClock);
      const Duration next = 4 * (after - before);
      if (after - cpu_begin_ + next > limit() + kPerByteAhead * ahead) return false;
      before = after;
    }
    return true;
  }

  bool is_spent() {
    start();
    // CPU time excludes waiting for a processor, but reading it takes a system call, hence the wall clock first.
    return time_of(kWallClock) - wall_begin_ > limit() && time_of(kCpuClock) - cpu_begin_ > limit();
  }

  Duration limit() const { return kFree + kPerByte * advanced_; }

  void start() {
    if (started_) return;
    started_ = true;
    wall_begin_ = time_of(kWallClock);
    cpu_begin_ = time_of(kCpuClock);
  }

  static constexpr clockid_t kCpuClock = CLOCK_THREAD_CPUTIME_ID;
  // The coarse clock ticks every few milliseconds and takes 5 ns instead of 25.
#ifdef CLOCK_MONOTONIC_COARSE
  static constexpr clockid_t kWallClock = CLOCK_MONOTONIC_COARSE;
#else
  static constexpr clockid_t kWallClock = CLOCK_MONOTONIC;
#endif

  static Duration time_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
  }

  int64_t advanced_ = 0;
  int64_t unobserved_ = 0;
  int64_t next_trial_ = 0;
  bool started_ = false;  // the clocks have been read once
  Duration wall_begin_{}, cpu_begin_{};
};

}  // namespace stringops
