// Levenshtein distance of two strings (driver/zip.h).
#pragma once

#include <cstdint>

#include "kernels/driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The least number of insertions, deletions and substitutions of units that make one string the other. A unit is a code
// point, where a byte that is not part of one counts as one that differs from all code points; or a byte.
struct EditDistance {
  using Value = int64_t;
  static constexpr Cost kCost{80, 10};
  bool codepoints;

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const;
};

}  // namespace stringops::kernels
