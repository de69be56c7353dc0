// A number put into fewer bits, where what precedes proves that it fits. Builds with assertions check it: the debug
// build, and the fuzz targets. (The compiler's -Wconversion refuses what has no cast at all.)
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
