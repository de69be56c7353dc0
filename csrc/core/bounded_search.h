// Searches with regular expressions that end in bounded time.
//
// RE2 looks at a text once, in time that grows with it. Two things make that long all the same, and whoever sends such
// a text must not hold a thread for hours.
//
// The longest match can ask for a look at all that follows, and then each token asks for one of its own: `a.*b|a` in a
// text of many a and no b takes time that grows with the square of the text.
//
// And an automaton whose states fill its memory is given up by RE2 for a way that takes up to 10 ns a byte and
// instruction: `.*a.{900}` has thousands. RE2 runs a search to its end, so where that could take long, the search is
// first tried on the beginning of the text, then on four times as much, as long as time allows. An automaton takes
// below 0.2 us a byte, whatever the pattern.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "core/pattern.h"

namespace stringops {

class BoundedSearch {
 public:
  enum class Found { kNo, kYes, kTooSlow };

  // As Pattern::find. `text` may be another one at every call with `from` 0.
  Found find(const Pattern& pattern, std::string_view text, int64_t from, Match* match) {
    const int64_t work = (static_cast<int64_t>(text.size()) - from) * pattern.num_instructions();
    unobserved_ += work;
    if (unobserved_ >= kUnobserved && !affords(pattern, text, from, work)) return Found::kTooSlow;
    return pattern.find(text, from, match) ? Found::kYes : Found::kNo;
  }

  // So many bytes of text are done with.
  void advance(int64_t bytes) { advanced_ += bytes; }

 private:
  using Duration = std::chrono::nanoseconds;

  static constexpr Duration kFree = std::chrono::seconds(1);
  static constexpr Duration kPerByte = std::chrono::microseconds(2);
  static constexpr Duration kPerByteAhead = std::chrono::nanoseconds(500);  // of one search

  // In bytes times instructions.
#ifndef STRINGOPS_SMALL_TILES
  static constexpr int64_t kUnobserved = 1 << 23;  // 0.08 s at most
  static constexpr int64_t kLong = 1 << 25;
  static constexpr int64_t kFirstTrial = 1 << 22;
  static constexpr int64_t kTrialEvery = 1 << 16;  // bytes
#else
  // For fuzzing: short inputs go every way.
  static constexpr int64_t kUnobserved = 1 << 5;
  static constexpr int64_t kLong = 1 << 6;
  static constexpr int64_t kFirstTrial = 1 << 5;
  static constexpr int64_t kTrialEvery = 1 << 3;
#endif

  bool affords(const Pattern& pattern, std::string_view text, int64_t from, int64_t work) {
    unobserved_ = 0;
    if (is_spent()) return false;
    if (work < kLong || (from != 0 && from < next_trial_)) return true;
    next_trial_ = from + kTrialEvery;
    return try_out(pattern, text, from, work);
  }

  // Whether there is time for a search of all of `text`, which takes a third more for it.
  bool try_out(const Pattern& pattern, std::string_view text, int64_t from, int64_t work) {
    const auto ahead = static_cast<int64_t>(text.size()) - from;
    Match ignored{};
    int64_t part = 4;
    while (work / part > kFirstTrial) part *= 4;
    for (Duration before = time_of(kCpuClock); part > 1; part /= 4) {
      pattern.find(text.substr(0, static_cast<size_t>(from + ahead / part)), from, &ignored);
      const Duration after = time_of(kCpuClock);
      const Duration next = 4 * (after - before);
      if (after - cpu_begin_ + next > limit() + kPerByteAhead * ahead) return false;
      before = after;
    }
    return true;
  }

  bool is_spent() {
    start();
    // Time that the thread has waited for a processor is not the text's fault; to ask for it takes a system call.
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
  // One that ticks every few milliseconds and costs 5 ns rather than 25, where there is one.
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
  bool started_ = false;  // at the first look at a clock
  Duration wall_begin_{}, cpu_begin_{};
};

}  // namespace stringops
