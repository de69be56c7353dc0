// Formats numbers as Python's repr does: a float has the fewest digits that give the number back in its own format.
#pragma once

#include <cstdint>
#include <limits>

#include "core/decimal_digits.h"
#include "core/parse_number.h"

namespace stringops {

// The room that formatting a number needs, all of which may be overwritten: no number has more than a sign and a vector
// of characters.
constexpr int64_t kMaxNumberText = 33;

// Write a number to a buffer of kMaxNumberText bytes; return its end.
char* format_number(double value, char* out);
char* format_number(float value, char* out);
char* format_number(Half value, char* out);
char* format_number(BFloat value, char* out);
char* format_number(bool value, char* out);

template <class Int>
char* format_number(Int value, char* out) {
  const bool minus = std::numeric_limits<Int>::is_signed && value < 0;
  const auto magnitude = static_cast<uint64_t>(value);
  *out = '-';
  return write_integer((magnitude ^ -uint64_t{minus}) + minus, out + minus);
}

}  // namespace stringops
