#include "core/platform.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#else
#include <thread>
#endif

#include "core/stack.h"

namespace stringops {
namespace {

constexpr long kWaitNs = 20'000'000;

struct Stack {
  uintptr_t begin = 0;
  size_t size = 0;
};

Stack find_stack() {
  Stack stack;
#ifdef __linux__
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* begin = nullptr;
  pthread_attr_getstack(&attributes, &begin, &stack.size);
  pthread_attr_destroy(&attributes);
  stack.begin = reinterpret_cast<uintptr_t>(begin);
#else
  stack.size = pthread_get_stacksize_np(pthread_self());
  stack.begin = reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(pthread_self())) - stack.size;
#endif
  return stack;
}

}  // namespace

int64_t coarse_time_ns() {
#ifdef __linux__
  constexpr clockid_t kClock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t kClock = CLOCK_MONOTONIC_RAW_APPROX;
#endif
  timespec time{};
  clock_gettime(kClock, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

int64_t stack_left() {
  thread_local const Stack stack = find_stack();
  const uintptr_t left = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - stack.begin;
  return left < stack.size ? static_cast<int64_t>(left) : INT64_MAX;  // it may be the stack of a coroutine
}

#ifdef __linux__

bool is_main_thread() {
  return gettid() == getpid();
}

int64_t usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

void wait_while(const std::atomic<int32_t>& word, int32_t value) {
  constexpr timespec kTime{0, kWaitNs};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &kTime, nullptr, 0);
}

void wake(const std::atomic<int32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

#else

bool is_main_thread() {
  return pthread_main_np() != 0;
}

int64_t usable_cores() {
  return std::thread::hardware_concurrency();
}

// macOS has no public call that waits for a word before version 14.4, so that the thread looks at it every 50
// microseconds.
void wait_while(const std::atomic<int32_t>& word, int32_t value) {
  constexpr long kTurnNs = 50'000;
  constexpr timespec kTurn{0, kTurnNs};
  for (long waited = 0; waited < kWaitNs && word == value; waited += kTurnNs) nanosleep(&kTurn, nullptr);
}

void wake(const std::atomic<int32_t>&) {}

#endif

}  // namespace stringops
