// Parses numbers by the grammar of Python's int() and float() with ASCII digits: whitespace (also that of Unicode)
// around the number, a sign, single underscores between digits; for floats also inf, infinity and nan, in any case.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "core/string_span.h"
#include "core/whitespace.h"

namespace stringops {

enum class Parsed { kNumber, kNoNumber, kOutOfRange };

// A float of 16 bits.
enum class Half : uint16_t {};
enum class BFloat : uint16_t {};

// Removes the whitespace around a text.
inline StringView without_whitespace(StringView text) {
  while (const int n = whitespace_length(text.begin, text.end)) text.begin += n;
  const auto ends_with_space = [&](int n) {
    return text.size() >= n && whitespace_length(text.end - n, text.end) == n;
  };
  for (;;) {
    if (ends_with_space(1)) {
      --text.end;
    } else if (text.size() > 1 && text.end[-1] >= 0x80 && (ends_with_space(2) || ends_with_space(3))) {
      text.end -= ends_with_space(2) ? 2 : 3;
    } else {
      return text;
    }
  }
}

constexpr bool is_ascii_digit(uint8_t byte) {
  return static_cast<uint8_t>(byte - '0') < 10;
}

// Skips the sign of a number; returns whether it is a minus.
inline bool take_minus(StringView& text) {
  if (text.begin == text.end || (*text.begin != '-' && *text.begin != '+')) return false;
  return *text.begin++ == '-';
}

// Sets `out` only if the result is kNumber.
template <class Int>
Parsed parse_integer(StringView text, Int& out) {
  text = without_whitespace(text);
  const bool minus = take_minus(text);
  if (text.begin == text.end || !is_ascii_digit(*text.begin)) return Parsed::kNoNumber;
  uint64_t magnitude = 0;
  bool overflows = false;
  for (const uint8_t* p = text.begin; p < text.end; ++p) {
    if (*p == '_') {
      if (p + 1 == text.end || !is_ascii_digit(p[1]) || p[-1] == '_') return Parsed::kNoNumber;
      continue;
    }
    const auto digit = static_cast<uint8_t>(*p - '0');
    if (digit > 9) return Parsed::kNoNumber;
    overflows |= __builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude);
    overflows |= __builtin_add_overflow(magnitude, uint64_t{digit}, &magnitude);
  }
  using Limits = std::numeric_limits<Int>;
  const uint64_t largest = static_cast<uint64_t>(Limits::max());
  const uint64_t limit = minus ? (Limits::is_signed ? largest + 1 : 0) : largest;
  if (overflows || magnitude > limit) return Parsed::kOutOfRange;
  out = static_cast<Int>(minus ? -magnitude : magnitude);
  return Parsed::kNumber;
}

// Parses "true", "false", "1" or "0", in any case.
std::optional<bool> parse_bool(StringView text);

// Rounds the decimal digits to the nearest number of the type in one step, ties to even. Numbers beyond the range
// become infinite, or 0.
std::optional<double> parse_double(StringView text);
std::optional<float> parse_float(StringView text);
std::optional<Half> parse_half(StringView text);
std::optional<BFloat> parse_bfloat(StringView text);

}  // namespace stringops
