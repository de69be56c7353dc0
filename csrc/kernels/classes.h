// Operators that tell whether the characters of each string are of a class, as Python's str.isalpha and its like do
// (driver/reduce.h). A byte that is not part of a code point is of no class.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "driver/runner.h"

namespace stringops::kernels {

enum class TextClass : uint8_t {
  kAlpha,
  kAlnum,
  kDigit,
  kSpace,
  kUpper,  // no character of lower or title case, and at least one of upper case
  kLower,  // no character of upper or title case, and at least one of lower case
  kAscii,  // the only class of the empty string
};

template <TextClass kClass>
struct IsOfClass {
  using Value = bool;
  static constexpr Cost kCost{4, 0.1};
  static constexpr bool kRuns = true;

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const;
};

using IsAlpha = IsOfClass<TextClass::kAlpha>;
using IsAlnum = IsOfClass<TextClass::kAlnum>;
using IsDigit = IsOfClass<TextClass::kDigit>;
using IsSpace = IsOfClass<TextClass::kSpace>;
using IsUpper = IsOfClass<TextClass::kUpper>;
using IsLower = IsOfClass<TextClass::kLower>;
using IsAscii = IsOfClass<TextClass::kAscii>;

}  // namespace stringops::kernels
