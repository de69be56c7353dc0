// Long calls look now and then whether they have to end early, as after Ctrl-C. Kernels and drivers call poll() between
// blocks of work that take far less than a tenth of a second; it throws to end the call.
#pragma once

#include <atomic>
#include <cstdint>

namespace stringops {

// A base of the exception that ends a call. It precedes the errors of tasks.
struct Interruption {};

// Ends a task of a call that another thread has interrupted.
struct Stopped {};

// Takes about ten nanoseconds. Looks every 0.1 s if the operator's thread can be interrupted (ops/interrupt.cpp), and
// does nothing in programs without operators.
void poll();

// What poll() calls on the threads of operators; it throws an Interruption to end the call.
void set_poll_look(void (*look)());

// The time in which a thread executes an operator: its first look is a tenth of a second after the first poll(). A
// signal's handler may call operators within it.
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

// The time in which a thread executes a task of a call; poll() throws Stopped once `failed` is negative.
class PollTask {
 public:
  explicit PollTask(const std::atomic<int64_t>& failed);
  ~PollTask();
  PollTask(const PollTask&) = delete;
  PollTask& operator=(const PollTask&) = delete;

 private:
  const std::atomic<int64_t>* const failed_before_;
};

// The end of the part [p, result) of a text [p, end) that can be processed without poll(), which is called for long
// texts.
template <class Unit>
const Unit* poll_stop(const Unit* p, const Unit* end) {
  constexpr int64_t kPart = 1 << 16;
  if (__builtin_expect(end - p <= kPart, true)) return end;
  poll();
  return p + kPart;
}

// Calls poll() each time that 64 KB have been read or written, or other steps that take about a nanosecond.
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
