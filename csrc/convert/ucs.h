// UTF-8 out of the storage of Python strings: arrays of code points, 1, 2 or 4 bytes each.
#pragma once

#include <cstdint>

namespace stringops::convert {

// Bytes of UTF-8 that `n` code points take, or -1 if there is a surrogate among them.
template <class Unit>
inline int64_t utf8_size(const Unit* units, int64_t n) {
  int64_t size = n;
  uint32_t surrogates = 0;
  for (int64_t at = 0; at < n;) {
    // Counted in 32 bits, so that the loop vectorises.
    const int64_t stop = n - at > (1 << 20) ? at + (1 << 20) : n;
    uint32_t more = 0;
    for (; at < stop; ++at) {
      const uint32_t c = units[at];
      more += c >= 0x80;
      if constexpr (sizeof(Unit) > 1) {
        more += c >= 0x800;
        surrogates |= (c & 0xFFFFF800u) == 0xD800;
      }
      if constexpr (sizeof(Unit) > 2) more += c >= 0x10000;
    }
    size += more;
  }
  return surrogates ? -1 : size;
}

// Writes exactly utf8_size(units, n) bytes at `out`; returns their end.
template <class Unit>
inline uint8_t* write_utf8(const Unit* units, int64_t n, uint8_t* out) {
  const auto tail = [](uint32_t c) { return static_cast<uint8_t>(0x80 | (c & 0x3F)); };
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t c = units[i];
    if (c < 0x80) {
      *out++ = static_cast<uint8_t>(c);
    } else if (c < 0x800) {
      *out++ = static_cast<uint8_t>(0xC0 | c >> 6);
      *out++ = tail(c);
    } else if (sizeof(Unit) < 4 || c < 0x10000) {
      *out++ = static_cast<uint8_t>(0xE0 | c >> 12);
      *out++ = tail(c >> 6);
      *out++ = tail(c);
    } else {
      *out++ = static_cast<uint8_t>(0xF0 | c >> 18);
      *out++ = tail(c >> 12);
      *out++ = tail(c >> 6);
      *out++ = tail(c);
    }
  }
  return out;
}

}  // namespace stringops::convert
