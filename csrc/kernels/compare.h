// Comparisons of two strings (driver/zip.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/testing.h"
#include "driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Tests whether the strings are equal byte for byte.
struct Equal {
  using Value = bool;
  static constexpr Cost kCost{1.5, 0.03};

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const {
    // The primitive's second operand is the one that may be broadcast.
    const auto equal_strings = simd::primitives().equal_strings;
    a.is_broadcast ? equal_strings(b, a, count, out) : equal_strings(a, b, count, out);
  }
};

// Whether the order of their bytes, as a number, passes a test against 0: std::less<int8_t> and so on.
template <class Test>
struct Ordered {
  using Value = bool;
  static constexpr Cost kCost{3, 0.02};

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const {
    if (count == 0) return;
    int8_t order[kBlock];
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t here = std::min(kBlock, count - i);
      simd::primitives().compare_strings(from(a, i), from(b, i), here, order);
      for (int64_t k = 0; k < here; ++k) out[i + k] = Test()(order[k], 0);
    }
  }

 private:
  static constexpr int64_t kBlock = block_size(1024, 20);

  static simd::StringRun from(simd::StringRun run, int64_t i) {
    run.begins += run.is_broadcast ? 0 : i;
    run.ends += run.is_broadcast ? 0 : i;
    return run;
  }
};

using Less = Ordered<std::less<int8_t>>;
using LessEqual = Ordered<std::less_equal<int8_t>>;
using Greater = Ordered<std::greater<int8_t>>;
using GreaterEqual = Ordered<std::greater_equal<int8_t>>;

}  // namespace stringops::kernels
