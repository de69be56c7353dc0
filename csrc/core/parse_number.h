// Numbers in text, with the grammar of Python's int() and float() in ASCII digits: whitespace (also that of Unicode)
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

// The text without the whitespace around it.
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

// The sign of a number, which is skipped.
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

// "true", "false", "1" or "0", in any case.
std::optional<bool> parse_bool(StringView text);

// Rounded to the nearest number of the type, ties to even, from the decimal digits at once. Numbers beyond the range
// are infinite, or 0.
std::optional<double> parse_double(StringView text);
std::optional<float> parse_float(StringView text);
std::optional<Half> parse_half(StringView text);
std::optional<BFloat> parse_bfloat(StringView text);

// Most numbers: up to 16 digits, with at most one decimal point among them, after an optional minus.
struct SimpleNumber {
  bool minus;
  uint64_t digits;
  int64_t decimals;  // digits after the point
};

// Characters as digits, one in each byte, the first one in the lowest byte. Returns false for other characters than
// digits and a single point, which is removed.
template <class Word>
bool take_point(Word& word, int64_t& decimals) {
  constexpr Word kOnes = ~Word{0} / 0xFF;
  constexpr int kTop = sizeof(Word) - 1;
  const Word others = (((word & kOnes * 0x7F) + kOnes * 0x76) | word) & kOnes * 0x80;  // bytes above 9
  if (others == 0) return true;
  const auto low = static_cast<uint64_t>(others);
  int at = low != 0 ? __builtin_ctzll(low) / 8 : 0;
  if constexpr (sizeof(Word) > 8) at = low != 0 ? at : 8 + __builtin_ctzll(static_cast<uint64_t>(others >> 64)) / 8;
  if ((others & (others - 1)) != 0 || static_cast<uint8_t>(word >> 8 * at) != ('.' ^ '0')) return false;
  const Word before = word & ((Word{1} << 8 * at) - 1);
  const Word after = at == kTop ? 0 : word >> 8 * (at + 1) << 8 * (at + 1);
  word = after | before << 8;
  decimals = kTop - at;
  return true;
}

// The number of eight digits.
constexpr uint64_t eight_digits(uint64_t word) {
  word = word * 10 + (word >> 8);  // of two digits, in every second byte
  constexpr uint64_t kMask = 0x000000FF000000FF;
  return ((word & kMask) * (100 + (uint64_t{1000000} << 32)) + (word >> 16 & kMask) * (1 + (uint64_t{10000} << 32))) >>
         32;
}

// Reads 16 bytes from the string on; returns false if there are fewer, or the number is another one.
inline bool read_simple(StringView text, const uint8_t* readable_end, SimpleNumber& number) {
  __extension__ using Wide = unsigned __int128;
  constexpr uint64_t kZeros = 0x3030303030303030;
  if (readable_end - text.begin <= 16 || text.begin == text.end) return false;
  number.minus = *text.begin == '-';
  text.begin += number.minus;
  const int64_t size = text.size();
  number.decimals = 0;
  uint64_t low, high;
  std::memcpy(&low, text.begin, sizeof low);
  if (size <= 8) {
    if (size == 0) return false;
    uint64_t word = (low ^ kZeros) << 8 * (8 - size);
    if (!take_point(word, number.decimals) || (size == 1 && *text.begin == '.')) return false;
    number.digits = eight_digits(word);
    return true;
  }
  if (size > 16) return false;
  std::memcpy(&high, text.begin + 8, sizeof high);
  Wide word = (Wide{high ^ kZeros} << 64 | (low ^ kZeros)) << 8 * (16 - size);
  if (!take_point(word, number.decimals)) return false;
  number.digits =
      eight_digits(static_cast<uint64_t>(word)) * 100000000 + eight_digits(static_cast<uint64_t>(word >> 64));
  return true;
}

// The same results as the functions above for simple numbers; false for all others.
template <class Int>
bool parse_simple(StringView text, const uint8_t* readable_end, Int& out) {
  SimpleNumber number;
  // A point, even without decimals, is not part of an integer.
  if (!read_simple(text, readable_end, number) || number.decimals > 0 || text.end[-1] == '.') return false;
  using Limits = std::numeric_limits<Int>;
  if (number.minus && !Limits::is_signed) return false;
  if (number.digits > static_cast<uint64_t>(Limits::max())) return false;
  out = static_cast<Int>(number.minus ? -number.digits : number.digits);
  return true;
}

inline bool parse_simple(StringView text, const uint8_t* readable_end, double& out) {
  constexpr double kPowers[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
  SimpleNumber number;
  if (!read_simple(text, readable_end, number) || number.digits > uint64_t{1} << 53) return false;
  // Both operands are exact, so the result is rounded once.
  const double magnitude = static_cast<double>(number.digits) / kPowers[number.decimals];
  out = number.minus ? -magnitude : magnitude;
  return true;
}

inline bool parse_simple(StringView text, const uint8_t* readable_end, float& out) {
  double value;
  if (!parse_simple(text, readable_end, value)) return false;
  // Halfway between two floats, the digits decide.
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x1FFFFFFF) == 0x10000000) return false;
  out = static_cast<float>(value);
  return true;
}

inline bool parse_simple(StringView, const uint8_t*, Half&) {
  return false;
}
inline bool parse_simple(StringView, const uint8_t*, BFloat&) {
  return false;
}
inline bool parse_simple(StringView, const uint8_t*, bool&) {
  return false;
}

}  // namespace stringops
