// Operators that edit each string (driver/run_map.h).
#pragma once

#include <cstdint>

#include "core/reverse.h"
#include "driver/run_map.h"

namespace stringops::kernels {

// The code points in reverse order. A byte that is not part of a code point counts as one.
struct Reverse {
  using Driver = RunMap;
  static constexpr Cost kCost{10, 0.2};

  static constexpr bool kTakesParts = false;

  void write_run(const Run& run, uint8_t* out, RunChanges&) const {
    reverse_strings(run.data, run.ends, run.count, out);
  }
};

}  // namespace stringops::kernels
