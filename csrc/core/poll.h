// Ends long calls early, for example after Ctrl-C. Kernels and drivers call poll() between blocks of work that take far
// less than a tenth of a second; it throws to end the call.
#pragma once

#include <atomic>
#include <cstdint>

namespace stringops {

// A base of the exception that ends a call. It precedes the errors of tasks.
struct Interruption {};

// Ends a task of a call that another thread has interrupted.
struct Stopped {};

// Checks every 0.1 s for a signal if the operator's thread can be interrupted (ops/interrupt.cpp); in programs without
// operators it does nothing. A call takes about ten nanoseconds.
void poll();

// Sets the function that poll() calls on the threads of operators; it throws an Interruption to end the call.
void set_poll_look(void (*look)());

// Exists while a thread executes an operator. The first check is a tenth of a second after the first poll(). A signal's
// handler may call operators within it.
class PollCall {
 public:
  PollCall();
  ~PollCall();
  PollCall(const PollCall&) = delete;
  PollCall& operator=(const PollCall&) = delete;

 private:
  void (*const look_before_)();
  const int64_t due_before_;
  const std::atomic<int64_t>* const failed_before_;
};

// Exists while a thread executes a task of a call. poll() throws Stopped once `failed` is negative.
class PollTask {
 public:
  explicit PollTask(const std::atomic<int64_t>& failed);
  ~PollTask();
  PollTask(const PollTask&) = delete;
  PollTask& operator=(const PollTask&) = delete;

 private:
  const std::atomic<int64_t>* const failed_before_;
};

// Returns the end of the part [p, result) of a text [p, end) that can be processed before the next poll(), which it
// calls for long texts.
template <class Unit>
const Unit* poll_stop(const Unit* p, const Unit* end) {
  constexpr int64_t kPart = 1 << 16;
  if (__builtin_expect(end - p <= kPart, true)) return end;
  poll();
  return p + kPart;
}

// Calls poll() after each 64 KB read or written, or other steps that take about a nanosecond.
class Pace {
 public:
  void spend(int64_t steps) {
    left_ -= steps;
    if (__builtin_expect(left_ < 0, false)) {
      left_ = kSteps;
      poll();
    }
  }

 private:
  static constexpr int64_t kSteps = 1 << 16;

  int64_t left_ = kSteps;
};

}  // namespace stringops
