// Whitespace as in Python's str.split(), in UTF-8: U+0009-000D, 001C-0020, 0085, 00A0, 1680, 2000-200A,
// 2028, 2029, 202F, 205F, 3000.
#pragma once

#include <cstdint>

#include "core/utf8.h"

namespace stringops {

constexpr bool is_ascii_whitespace(uint8_t byte) {
  return (byte >= 0x09 && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x20);
}

// Returns the number of bytes of the whitespace character at p (1, 2 or 3), or 0 if none starts there. Reads nothing at
// or past `end`.
//
//   C2 85, C2 A0                                   U+0085, U+00A0
//   E1 9A 80                                       U+1680
//   E2 80 80..8A, E2 80 A8, E2 80 A9, E2 80 AF     U+2000-200A, U+2028, U+2029, U+202F
//   E2 81 9F                                       U+205F
//   E3 80 80                                       U+3000
constexpr int whitespace_length(const uint8_t* p, const uint8_t* end) {
  if (p >= end) return 0;
  if (is_ascii_whitespace(p[0])) return 1;
  if (p[0] == 0xC2) return end - p >= 2 && (p[1] == 0x85 || p[1] == 0xA0) ? 2 : 0;
  if (p[0] < 0xE1 || p[0] > 0xE3 || end - p < 3) return 0;
  const uint8_t b = p[1], c = p[2];
  if (p[0] == 0xE1) return b == 0x9A && c == 0x80 ? 3 : 0;
  if (p[0] == 0xE3) return b == 0x80 && c == 0x80 ? 3 : 0;
  if (b == 0x80) return (c >= 0x80 && c <= 0x8A) || c == 0xA8 || c == 0xA9 || c == 0xAF ? 3 : 0;
  return b == 0x81 && c == 0x9F ? 3 : 0;
}

}  // namespace stringops
