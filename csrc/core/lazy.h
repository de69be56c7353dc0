// Values that are made when they are first used, without a lock.
//
// A static variable of a function has a lock: in a child of fork(), threads wait forever if another thread of the
// parent was initializing it. Here, threads that arrive at the same time each make the value, and all use the first
// one.
#pragma once

#include <atomic>
#include <type_traits>

namespace stringops {

// Returns the value of make(), which exists until the process ends. Each lambda in the source has a value of its own.
template <class Make>
auto& lazy(const Make& make) {
  using Value = std::invoke_result_t<const Make&>;
  static_assert(std::is_empty_v<Make>,
                "the value is kept for all calls, so it must not depend on the caller's variables");
  static std::atomic<Value*> kept{nullptr};  // initialized by the compiler, hence without a lock
  Value* value = kept.load(std::memory_order_acquire);
  if (__builtin_expect(value == nullptr, false)) {
    auto* const made = new Value(make());
    if (kept.compare_exchange_strong(value, made, std::memory_order_acq_rel, std::memory_order_acquire)) return *made;
    delete made;
  }
  return *value;
}

}  // namespace stringops
