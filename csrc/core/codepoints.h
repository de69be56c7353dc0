// UTF-8 into the storage of Python strings: counted first, since a str is made with its exact size and widest
// kind.
//
// Every function reads its source once or works on a private copy: another thread may write a tensor's bytes
// meanwhile, and a str must be what its header says.
#pragma once

#include <cstdint>
#include <cstring>

namespace stringops::convert {

// Copies n bytes; false if one of them (of those copied, not of those there now) is not ASCII.
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
      // Four words, that the compiler makes into vectors.
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

inline bool is_ascii(const uint8_t* from, int64_t n) {
  uint64_t seen = 0;
  int64_t at = 0;
  for (; at + 8 <= n; at += 8) {
    uint64_t word;
    std::memcpy(&word, from + at, 8);
    seen |= word;
  }
  for (; at < n; ++at) seen |= from[at];
  return (seen & 0x8080808080808080u) == 0;
}

// What valid UTF-8 of these bytes would hold.
struct Utf8Count {
  int64_t codepoints;
  uint8_t greatest;  // byte: the lead byte of the greatest code point
};

inline Utf8Count count_utf8(const uint8_t* from, int64_t n) {
  int64_t continuations = 0;
  uint8_t greatest = 0;
  for (int64_t at = 0; at < n;) {
    // Counted in bytes, 255 at most, so that the loop vectorises.
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

// Decodes n bytes, as count_utf8 counted them, into exactly `codepoints` units at `to`, which hold `greatest`. False if
// they are not valid UTF-8. Reads up to 3 bytes past the end: they must be there, and be zero.
template <class Unit>
inline bool read_utf8(const uint8_t* from, int64_t n, Unit* to, int64_t codepoints) {
  const uint8_t* const end = from + n;
  Unit* const to_end = to + codepoints;
  const auto is_tail = [](uint32_t byte) { return (byte & 0xC0) == 0x80; };
  while (to < to_end) {
    // Never at the end: each code point so far took one byte that is no continuation, and there are as many of those
    // as code points. A sequence that is cut short is refused, for a zero byte is no continuation.
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
      if (point < 0x800 || (point & 0xF800) == 0xD800) return false;
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

// Index of the first byte of what is no UTF-8, or -1. Reads within [from, from + n).
inline int64_t find_invalid_utf8(const uint8_t* from, int64_t n) {
  const auto tail = [&](int64_t at) { return at < n && (from[at] & 0xC0) == 0x80; };
  int64_t at = 0;
  while (at < n) {
    constexpr int64_t kStep = 32;
    while (at + kStep <= n && is_ascii(from + at, kStep)) at += kStep;
    for (const int64_t stop = at + kStep < n ? at + kStep : n; at < stop;) {
      const uint32_t a = from[at];
      const uint32_t b = at + 1 < n ? from[at + 1] : 0;
      int64_t size = 0;
      if (a < 0x80) {
        size = 1;
      } else if (a >= 0xC2 && a < 0xE0) {
        size = tail(at + 1) ? 2 : 0;
      } else if (a >= 0xE0 && a < 0xF0) {
        // No overlong forms, no surrogates.
        const bool second = a == 0xE0 ? b >= 0xA0 && b < 0xC0 : a == 0xED ? b >= 0x80 && b < 0xA0 : tail(at + 1);
        size = second && tail(at + 2) ? 3 : 0;
      } else if (a >= 0xF0 && a < 0xF5) {
        // No overlong forms, nothing beyond U+10FFFF.
        const bool second = a == 0xF0 ? b >= 0x90 && b < 0xC0 : a == 0xF4 ? b >= 0x80 && b < 0x90 : tail(at + 1);
        size = second && tail(at + 2) && tail(at + 3) ? 4 : 0;
      }
      if (size == 0) return at;
      at += size;
    }
  }
  return -1;
}

}  // namespace stringops::convert
