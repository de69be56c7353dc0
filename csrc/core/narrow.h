// A narrowing cast of a number that is known to fit. Builds with assertions, which are the debug build and the fuzz
// targets, check it. (-Wconversion rejects narrowing without a cast.)
#pragma once

#include <cassert>
#include <cstdint>

namespace stringops {

template <class To>
constexpr To narrow(int64_t value) {
  static_assert(sizeof(To) < sizeof(value));
  const To narrowed = static_cast<To>(value);
  assert(static_cast<int64_t>(narrowed) == value);
  return narrowed;
}

}  // namespace stringops
