// Single code points in UTF-8: reading one forwards or backwards, and writing one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/utf8.h"

namespace stringops {

// A code point and its length in bytes. A byte that is not part of a code point has the value kInvalidByte and length
// 1.
struct Codepoint {
  uint32_t value;
  int64_t length;
};

constexpr uint32_t kInvalidByte = 0xFFFFFFFF;
constexpr int64_t kMaxCodepointBytes = 4;
constexpr uint32_t kZeroWidthJoiner = 0x200D;

// Decodes the code point of `length` bytes at p, which must be valid (long_codepoint).
inline uint32_t decode_codepoint(const uint8_t* p, int64_t length) {
  if (length == 1) return p[0];
  if (length == 2) return uint32_t{p[0] & 0x1Fu} << 6 | (p[1] & 0x3F);
  if (length == 3) return uint32_t{p[0] & 0x0Fu} << 12 | uint32_t{p[1] & 0x3Fu} << 6 | (p[2] & 0x3F);
  return uint32_t{p[0] & 0x07u} << 18 | uint32_t{p[1] & 0x3Fu} << 12 | uint32_t{p[2] & 0x3Fu} << 6 | (p[3] & 0x3F);
}

// Reads the code point that begins at p < end.
inline Codepoint read_codepoint(const uint8_t* p, const uint8_t* end) {
  if (*p < 0x80) return {*p, 1};
  // Most have two or three bytes.
  if (*p < 0xE0) {
    const bool valid = *p >= 0xC2 && end - p >= 2 && is_continuation(p[1]);
    return valid ? Codepoint{decode_codepoint(p, 2), 2} : Codepoint{kInvalidByte, 1};
  }
  if (*p < 0xF0) {
    if (end - p < 3 || !is_continuation(p[1]) || !is_continuation(p[2])) return {kInvalidByte, 1};
    const uint32_t value = decode_codepoint(p, 3);
    return value >= 0x800 && !is_surrogate(value) ? Codepoint{value, 3} : Codepoint{kInvalidByte, 1};
  }
  const int64_t length = long_codepoint(p, end);
  return length == 0 ? Codepoint{kInvalidByte, 1} : Codepoint{decode_codepoint(p, length), length};
}

// Reads the code point that ends at p > begin. It is the one that reading forwards finds, because the first byte of a
// sequence is not part of a sequence before it.
inline Codepoint read_codepoint_before(const uint8_t* begin, const uint8_t* p) {
  if (p[-1] < 0x80) return {p[-1], 1};
  for (int64_t length = 2; length <= std::min<int64_t>(p - begin, kMaxCodepointBytes); ++length) {
    if (is_continuation(p[-length])) continue;
    if (p[-length] < 0x80 || long_codepoint(p - length, p) != length) break;
    return {decode_codepoint(p - length, length), length};
  }
  return {kInvalidByte, 1};
}

// Writes a code point; returns the end of its 1 to kMaxCodepointBytes bytes.
inline uint8_t* write_codepoint(uint32_t c, uint8_t* out) {
  const auto tail = [](uint32_t bits) { return static_cast<uint8_t>(0x80 | (bits & 0x3F)); };
  if (c < 0x80) {
    *out++ = static_cast<uint8_t>(c);
    return out;
  }
  if (c < 0x800) {
    *out++ = static_cast<uint8_t>(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      *out++ = static_cast<uint8_t>(0xE0 | c >> 12);
    } else {
      *out++ = static_cast<uint8_t>(0xF0 | c >> 18);
      *out++ = tail(c >> 12);
    }
    *out++ = tail(c >> 6);
  }
  *out++ = tail(c);
  return out;
}

}  // namespace stringops
