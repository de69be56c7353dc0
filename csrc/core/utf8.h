// Strict UTF-8: no overlong sequences, surrogates, code points above U+10FFFF or truncated sequences.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

namespace stringops {

constexpr bool is_ascii_letter(uint8_t byte) {
  const uint8_t lower = byte | 0x20;
  return lower >= 'a' && lower <= 'z';
}

constexpr bool is_continuation(uint8_t byte) {
  return (byte & 0xC0) == 0x80;
}

constexpr bool is_surrogate(uint32_t codepoint) {
  return (codepoint & 0xFFFFF800) == 0xD800;
}

inline bool is_ascii(const uint8_t* p, int64_t n) {
  constexpr int64_t kChunk = 1024;  // a loop without an exit is vectorized; an exit between chunks suffices
  for (; n > kChunk; p += kChunk, n -= kChunk) {
    uint64_t seen = 0;
    for (int64_t at = 0; at < kChunk; at += 8) {
      uint64_t word;
      std::memcpy(&word, p + at, 8);
      seen |= word;
    }
    if ((seen & 0x8080808080808080u) != 0) return false;
  }
  uint64_t seen = 0;
  int64_t at = 0;
  for (; at + 8 <= n; at += 8) {
    uint64_t word;
    std::memcpy(&word, p + at, 8);
    seen |= word;
  }
  for (; at < n; ++at) seen |= p[at];
  return (seen & 0x8080808080808080u) == 0;
}

// Same as is_ascii, for n >= 0 bytes, mostly few: overlapping words cover any length.
inline bool is_short_ascii(const uint8_t* p, int64_t n) {
  const auto two = [&](auto word, auto high) {
    decltype(word) last;
    std::memcpy(&word, p, sizeof word);
    std::memcpy(&last, p + n - sizeof last, sizeof last);
    return ((word | last) & high) == 0;
  };
  if (n > 16) return is_ascii(p, n);
  if (n >= 8) return two(uint64_t{}, uint64_t{0x8080808080808080});
  if (n >= 4) return two(uint32_t{}, uint32_t{0x80808080});
  return n <= 0 || (p[0] | p[n / 2] | p[n - 1]) < 0x80;
}

// Returns the number of bytes of the code point that `lead` begins, in valid UTF-8.
constexpr int64_t codepoint_length(uint8_t lead) {
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// Counts the code points of valid UTF-8.
inline int64_t count_codepoints(const uint8_t* p, const uint8_t* end) {
  int64_t count = 0;
  while (p < end) {
    // A step has as many bytes as a byte can count, so that the loop is vectorized with a counter of one byte each.
    const uint8_t* const stop = end - p > 255 ? p + 255 : end;
    uint8_t few = 0;
    for (; p < stop; ++p) few = static_cast<uint8_t>(few + !is_continuation(*p));
    count += few;
  }
  return count;
}

// Whether [p, end) has at least `min_count` >= 1 code points.
inline bool has_codepoints(const uint8_t* p, const uint8_t* end, int64_t min_count) {
  if (min_count == 1) return p < end;
  return end - p >= min_count && count_codepoints(p, end) >= min_count;
}

// The length of the code point at p (2 to 4 bytes; p[0] >= 0x80), or 0 if it is invalid.
//
//   lead        second byte    further bytes
//   C2..DF      80..BF
//   E0          A0..BF         80..BF           (80..9F would be overlong)
//   E1..EC      80..BF         80..BF
//   ED          80..9F         80..BF           (A0..BF would be surrogates)
//   EE..EF      80..BF         80..BF
//   F0          90..BF         80..BF, 80..BF   (80..8F would be overlong)
//   F1..F3      80..BF         80..BF, 80..BF
//   F4          80..8F         80..BF, 80..BF   (90..BF would be above U+10FFFF)
inline int64_t long_codepoint(const uint8_t* p, const uint8_t* end) {
  const uint8_t lead = p[0];
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const int64_t length = codepoint_length(lead);
  if (end - p < length) return 0;
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (p[1] < low || p[1] > high) return 0;
  for (int64_t i = 2; i < length; ++i) {
    if (!is_continuation(p[i])) return 0;
  }
  return length;
}

// The index of the first byte that is not part of a code point, or nothing in valid UTF-8.
inline std::optional<int64_t> find_invalid_utf8(const uint8_t* p, const uint8_t* end) {
  const uint8_t* const begin = p;
  while (p < end) {
    while (end - p >= 32 && is_ascii(p, 32)) p += 32;
    while (end - p >= 8 && is_ascii(p, 8)) p += 8;
    while (p < end && *p < 0x80) ++p;
    while (p < end && *p >= 0x80) {
      const int64_t length = long_codepoint(p, end);
      if (length == 0) return p - begin;
      p += length;
    }
  }
  return std::nullopt;
}

}  // namespace stringops
