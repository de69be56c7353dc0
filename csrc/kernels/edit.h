// Operators that edit each string (driver/run_map.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/narrow.h"
#include "core/string_span.h"
#include "driver/run_map.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The code points in reverse order. A byte that is not part of a code point counts as one.
struct Reverse {
  using Driver = RunMap;
  static constexpr Cost kCost{10, 0.2};

  int64_t size(StringView in) const { return in.size(); }

  // Reverses the bytes that there is room for: fewer only after a concurrent write.
  uint8_t* write(StringView in, uint8_t* out, const uint8_t* out_end) const {
    const auto size = narrow<int32_t>(std::min<int64_t>(in.size(), out_end - out));
    simd::primitives().reverse(in.begin, &size, 1, out);
    return out + size;
  }

  bool write_run(const AdjacentStrings& in, uint8_t* out) const {
    simd::primitives().reverse(in.data, in.ends, in.count, out);
    return true;
  }
};

}  // namespace stringops::kernels
