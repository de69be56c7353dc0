// Operators that change the case of each string as Python's `str` does (driver/run_map.h). A byte that is not part of a
// code point stays; it is a character without case.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "driver/run_map.h"

namespace stringops::kernels {

enum class ToCase : uint8_t {
  kLower,
  kUpper,
  kFold,
  kSimpleFold,  // each code point to one code point
  kSwap,        // upper case becomes lower, and lower case upper
  kTitle,       // a character after a cased one becomes lower, others title case
  kCapitalize,  // the first character becomes title case, others lower
};

template <ToCase kCase>
struct ChangeCase {
  using Driver = RunMap;
  static constexpr Cost kCost{5, 0.5};

  static constexpr bool kTakesParts = true;

  void write_run(const Run& run, uint8_t* out, RunChanges& changes) const;
};

using Lower = ChangeCase<ToCase::kLower>;
using Upper = ChangeCase<ToCase::kUpper>;
using Casefold = ChangeCase<ToCase::kFold>;
using SimpleFold = ChangeCase<ToCase::kSimpleFold>;
using Swapcase = ChangeCase<ToCase::kSwap>;
using Title = ChangeCase<ToCase::kTitle>;
using Capitalize = ChangeCase<ToCase::kCapitalize>;

}  // namespace stringops::kernels
