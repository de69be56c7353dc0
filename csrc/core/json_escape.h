// Escapes in strings of JSON (RFC 8259).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/codepoint.h"
#include "core/hex_digit.h"

namespace stringops {

struct JsonEscapes {
  uint8_t characters[256] = {};  // the characters of escapes of two bytes by the second byte, or 0
  uint8_t digits[256] = {};      // hex_digit of each byte
};
constexpr JsonEscapes make_json_escapes() {
  JsonEscapes made;
  constexpr std::string_view kNames = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
  for (size_t i = 0; i < kNames.size(); ++i) {
    made.characters[static_cast<uint8_t>(kNames[i])] = static_cast<uint8_t>(kCharacters[i]);
  }
  for (int byte = 0; byte < 256; ++byte) made.digits[byte] = hex_digit(static_cast<uint8_t>(byte));
  return made;
}
inline constexpr JsonEscapes kJsonEscapes = make_json_escapes();

// Returns the value of the escape \uXXXX at p, or -1 if there is another text.
inline int32_t read_unicode_escape(const uint8_t* p, const uint8_t* end) {
  if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return -1;
  // There is no branch on the kind of a digit, which is unpredictable.
  const auto digit = [&](int i) { return int32_t{kJsonEscapes.digits[p[i]]}; };
  const int32_t a = digit(2), b = digit(3), c = digit(4), d = digit(5);
  return ((a | b | c | d) & kNoDigit) != 0 ? -1 : a << 12 | b << 8 | c << 4 | d;
}

// Returns what the escape stands for that begins with the backslash at p, and its bytes; 0 bytes if it is malformed.
// Half of a surrogate pair stands for itself.
inline Codepoint read_json_escape(const uint8_t* p, const uint8_t* end) {
  if (end - p < 2) return {0, 0};
  if (const uint8_t character = kJsonEscapes.characters[p[1]]) return {character, 2};
  const int32_t unit = read_unicode_escape(p, end);
  if (unit < 0) return {0, 0};
  const auto codepoint = static_cast<uint32_t>(unit);
  const int32_t low = codepoint >> 10 == 0xD800 >> 10 ? read_unicode_escape(p + 6, end) : -1;
  if (low >> 10 != 0xDC00 >> 10) return {codepoint, 6};
  return {0x10000 + ((codepoint & 0x3FF) << 10 | (static_cast<uint32_t>(low) & 0x3FF)), 12};
}

}  // namespace stringops
