// Operators that edit each string (driver/map.h).
#pragma once

#include <cstdint>

#include "core/narrow.h"
#include "core/string_span.h"
#include "driver/map_runs.h"
#include "driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The code points in reverse order. A byte that is not part of a code point counts as one.
struct Reverse {
  static constexpr Cost kCost{10, 0.2};
  static constexpr bool kSameSize = true;

  void write(StringView in, uint8_t* out) const {
    const auto size = narrow<int32_t>(in.size());
    simd::primitives().reverse(in.begin, &size, 1, out);
  }

  bool write_run(const AdjacentStrings& in, uint8_t* out) const {
    simd::primitives().reverse(in.data, in.ends, in.count, out);
    return true;
  }
};

}  // namespace stringops::kernels
