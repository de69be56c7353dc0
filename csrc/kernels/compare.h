// Comparisons of two strings (driver/zip.h).
#pragma once

#include <cstdint>

#include "kernels/driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Whether they are equal byte for byte.
struct Equal {
  using Value = bool;
  static constexpr Cost kCost{1.5, 0.03};

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const {
    // The primitive's second operand is the one that may be broadcast.
    const auto equal_strings = simd::primitives().equal_strings;
    a.is_broadcast ? equal_strings(b, a, count, out) : equal_strings(a, b, count, out);
  }
};

}  // namespace stringops::kernels
