#include "core/poll.h"

#include "core/platform.h"

namespace stringops {
namespace {

constexpr int64_t kIntervalNs = 100'000'000;

struct TaskPoll {
  void (*look)() = nullptr;
  int64_t due = 0;  // when to look, 0 before the first poll of a call
  const std::atomic<int64_t>* failed = nullptr;
};

std::atomic<void (*)()> look_of_operators{nullptr};
thread_local TaskPoll state;

}  // namespace

void poll() {
  TaskPoll& s = state;
  if (s.failed && s.failed->load(std::memory_order_relaxed) < 0) throw Stopped();
  if (!s.look) return;
  const int64_t now = coarse_time_ns();
  if (s.due == 0) s.due = now + kIntervalNs;
  if (now < s.due) return;
  s.look();
  s.due = coarse_time_ns() + kIntervalNs;
}

void set_poll_look(void (*look)()) {
  look_of_operators = look;
}

PollCall::PollCall() : look_before_(state.look), due_before_(state.due), failed_before_(state.failed) {
  state = {look_of_operators.load(std::memory_order_relaxed), 0, nullptr};
}

PollCall::~PollCall() {
  state = {look_before_, due_before_, failed_before_};
}

PollTask::PollTask(const std::atomic<int64_t>& failed) : failed_before_(state.failed) {
  state.failed = &failed;
}

PollTask::~PollTask() {
  state.failed = failed_before_;
}

}  // namespace stringops
