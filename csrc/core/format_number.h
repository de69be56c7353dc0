// Numbers as text, as Python's repr writes them: of a float the fewest digits that give the number back in its own
// format.
#pragma once

#include <charconv>
#include <cstdint>

#include "core/parse_number.h"

namespace stringops {

// No number has more characters.
constexpr int64_t kMaxNumberText = 32;

// Write a number to a buffer of kMaxNumberText bytes; return its end.
char* format_number(double value, char* out);
char* format_number(float value, char* out);
char* format_number(Half value, char* out);
char* format_number(BFloat value, char* out);
char* format_number(bool value, char* out);

template <class Int>
char* format_number(Int value, char* out) {
  return std::to_chars(out, out + kMaxNumberText, value).ptr;
}

}  // namespace stringops
