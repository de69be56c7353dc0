// UTF-8 to and from arrays of code points of 1, 2 or 4 bytes each, as Python's str and NumPy store them.
//
// Each function reads its source once or works on a private copy: a concurrent write may change a tensor's bytes, and a
// str must match its header.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/utf8.h"

namespace stringops {

// Returns the number of bytes of `n` code points in UTF-8, or -1 if one of them is a surrogate.
template <class Unit>
inline int64_t utf8_size(const Unit* units, int64_t n) {
  int64_t size = n;
  uint32_t surrogates = 0;
  for (int64_t at = 0; at < n;) {
    // Counted in 32 bits, so that the loop is vectorized.
    const int64_t stop = n - at > (1 << 20) ? at + (1 << 20) : n;
    uint32_t more = 0;
    for (; at < stop; ++at) {
      const uint32_t c = units[at];
      more += c >= 0x80;
      if constexpr (sizeof(Unit) > 1) {
        more += c >= 0x800;
        surrogates |= is_surrogate(c);
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

// Copies n bytes. Returns whether all bytes copied are ASCII.
inline bool copy_ascii(uint8_t* to, const uint8_t* from, int64_t n) {
  constexpr uint64_t kHigh = 0x8080808080808080u;
  uint64_t seen = 0;
  const auto copy8 = [&](int64_t at) {
    uint64_t word;
    std::memcpy(&word, from + at, 8);
    seen |= word;
    std::memcpy(to + at, &word, 8);
  };
  if (n >= 8) {
    int64_t at = 0;
    for (; at + 32 <= n; at += 32) {
      // The compiler turns four words into vectors.
      uint64_t words[4];
      std::memcpy(words, from + at, 32);
      seen |= (words[0] | words[1]) | (words[2] | words[3]);
      std::memcpy(to + at, words, 32);
    }
    for (; at + 8 <= n; at += 8) copy8(at);
    copy8(n - 8);
  } else {
    for (int64_t at = 0; at < n; ++at) {
      const uint8_t byte = from[at];
      seen |= byte;
      to[at] = byte;
    }
  }
  return (seen & kHigh) == 0;
}

// The code points of bytes, if these are valid UTF-8.
struct Utf8Count {
  int64_t codepoints;
  uint8_t greatest;  // byte, the lead byte of the greatest code point
};

inline Utf8Count count_utf8(const uint8_t* from, int64_t n) {
  int64_t continuations = 0;
  uint8_t greatest = 0;
  for (int64_t at = 0; at < n;) {
    // Counted in bytes, 255 at most, so that the loop is vectorized.
    const int64_t stop = n - at > 128 ? at + 128 : n;
    uint8_t count = 0;
    for (; at < stop; ++at) {
      count = static_cast<uint8_t>(count + (static_cast<int8_t>(from[at]) < -64));
      greatest = greatest > from[at] ? greatest : from[at];
    }
    continuations += count;
  }
  return {n - continuations, greatest};
}

// Decodes n bytes, counted by count_utf8, into exactly `codepoints` units at `to`, which are wide enough for
// `greatest`. Returns false if they are not valid UTF-8. The 3 bytes after the end are read and must be zero.
template <class Unit>
inline bool read_utf8(const uint8_t* from, int64_t n, Unit* to, int64_t codepoints) {
  const uint8_t* const end = from + n;
  Unit* const to_end = to + codepoints;
  const auto is_tail = [](uint32_t byte) { return is_continuation(static_cast<uint8_t>(byte)); };
  while (to < to_end) {
    // Never past the end: each code point so far took one byte that is not a continuation, and there are as many of
    // those as code points. A truncated sequence is invalid, as a zero byte is not a continuation.
    const uint32_t a = *from;
    if (a < 0x80) {
      *to++ = static_cast<Unit>(a);
      from += 1;
      continue;
    }
    const uint32_t b = from[1];
    if (a < 0xE0) {
      const uint32_t c = (a & 0x1F) << 6 | (b & 0x3F);
      if (a < 0xC2 || !is_tail(b)) return false;
      *to++ = static_cast<Unit>(c);
      from += 2;
      continue;
    }
    const uint32_t c = from[2];
    if (!is_tail(b) || !is_tail(c)) return false;
    if (a < 0xF0) {
      const uint32_t point = (a & 0x0F) << 12 | (b & 0x3F) << 6 | (c & 0x3F);
      if (point < 0x800 || is_surrogate(point)) return false;
      *to++ = static_cast<Unit>(point);
      from += 3;
      continue;
    }
    const uint32_t d = from[3];
    const uint32_t point = (a & 0x07) << 18 | (b & 0x3F) << 12 | (c & 0x3F) << 6 | (d & 0x3F);
    if (a > 0xF4 || !is_tail(d) || point < 0x10000 || point > 0x10FFFF) return false;
    *to++ = static_cast<Unit>(point);
    from += 4;
  }
  return from == end;
}

}  // namespace stringops
