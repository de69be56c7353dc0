// Escapes in strings of JSON (RFC 8259).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/codepoint.h"
#include "core/hex_digit.h"

namespace stringops {

// Returns the value of the escape \uXXXX at p, or -1 if there is another text.
inline int32_t read_unicode_escape(const uint8_t* p, const uint8_t* end) {
  if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return -1;
  int32_t value = 0;
  for (int i = 2; i < 6; ++i) {
    const uint8_t digit = hex_digit(p[i]);
    if (digit == kNoDigit) return -1;
    value = value << 4 | digit;
  }
  return value;
}

// Returns what the escape stands for that begins with the backslash at p, and its bytes; 0 bytes if it is malformed.
// Half of a surrogate pair stands for itself.
inline Codepoint read_json_escape(const uint8_t* p, const uint8_t* end) {
  constexpr std::string_view kNames = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
  if (end - p < 2) return {0, 0};
  if (const size_t at = kNames.find(static_cast<char>(p[1])); at != kNames.npos) {
    return {static_cast<uint8_t>(kCharacters[at]), 2};
  }
  const int32_t unit = read_unicode_escape(p, end);
  if (unit < 0) return {0, 0};
  const auto codepoint = static_cast<uint32_t>(unit);
  const int32_t low = codepoint >> 10 == 0xD800 >> 10 ? read_unicode_escape(p + 6, end) : -1;
  if (low >> 10 != 0xDC00 >> 10) return {codepoint, 6};
  return {0x10000 + ((codepoint & 0x3FF) << 10 | (static_cast<uint32_t>(low) & 0x3FF)), 12};
}

}  // namespace stringops
