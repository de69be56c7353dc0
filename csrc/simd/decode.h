// decode, one code point at a time: the reference implementation.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/codepoint.h"

namespace stringops::simd {
namespace {

// Writes the code point at p, or its first byte; returns how many bytes that is.
inline int64_t decode_one(const uint8_t* p, const uint8_t* end, uint32_t* out) {
  const uint8_t first = *p;
  const Codepoint c = read_codepoint(p, end);
  *out = c.value == kInvalidByte ? 0xDC00u + first : c.value;
  return c.length;
}

inline int64_t decode(const uint8_t* text, int64_t size, uint32_t* out) {
  const uint8_t* const end = text + size;
  uint32_t* to = out;
  for (const uint8_t* p = text; p < end;) {
    if (end - p >= 8) {
      uint8_t bytes[8];
      uint64_t word;
      std::memcpy(bytes, p, sizeof(bytes));
      std::memcpy(&word, bytes, sizeof(word));
      if ((word & 0x8080808080808080) == 0) {
        for (int i = 0; i < 8; ++i) to[i] = bytes[i];
        to += 8;
        p += 8;
        continue;
      }
    }
    p += decode_one(p, end, to++);
  }
  return to - out;
}

}  // namespace
}  // namespace stringops::simd
