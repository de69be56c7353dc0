// Reads decimal numbers of the grammar of Python's int() and float(), without underscores, eight characters at once
// (SWAR).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/decimal_digits.h"
#include "core/string_span.h"

namespace stringops {

constexpr bool is_ascii_digit(uint8_t byte) {
  return static_cast<uint8_t>(byte - '0') < 10;
}

// The value is digits * 10**exponent; if the text has more significant digits, it lies between this and
// (digits + 1) * 10**exponent.
struct Decimal {
  static constexpr int64_t kMaxDigits = 19;  // significant ones, as many as 64 bits hold
  enum Form : uint8_t { kInteger, kFraction, kNoNumber, kUnread };

  uint64_t digits = 0;
  int32_t exponent = 0;
  Form form = kUnread;  // kFraction: with a point, or an exponent
  bool minus = false;
  bool has_more_digits = false;
};

// Skips a sign. Returns whether there is a minus.
inline bool take_minus(const uint8_t*& p, const uint8_t* end) {
  const uint8_t sign = p < end ? *p : 0;
  p += (sign == '-') | (sign == '+');
  return sign == '-';
}

// Returns 0x80 in each byte that is above 9.
constexpr uint64_t bytes_above_9(uint64_t word) {
  constexpr uint64_t kOnes = ~uint64_t{0} / 0xFF;
  return (((word & kOnes * 0x7F) + kOnes * 0x76) | word) & kOnes * 0x80;
}

constexpr uint64_t kPointByte = '.' ^ '0';

// Reads 1 to 8 digits, or 1 to 7 and a point, which most numbers have. Returns false for all other texts.
__attribute__((always_inline)) inline bool read_short_decimal(const uint8_t* p, const uint8_t* end, Decimal& number) {
  const int64_t size = end - p;
  if (size < 1 || size > 8) return false;
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  word = (word ^ kZeroChars) << 8 * (8 - size);  // zeros before the digits
  const uint64_t others = bytes_above_9(word);
  number.form = Decimal::kInteger;
  if (others != 0) {
    const int bits = __builtin_ctzll(others) & 56;
    if ((others & (others - 1)) != 0 || (word >> bits & 0xFF) != kPointByte || size == 1) return false;
    word ^= (word ^ word << 8) & ((uint64_t{1} << bits << 8) - 1);  // the digits before the point move there
    number.exponent = bits / 8 - 7;
    number.form = Decimal::kFraction;
  }
  number.digits = number_of_eight(word);
  return true;
}

constexpr int64_t kReadAfterNumber = 8;  // bytes after the end of a text that may be read

// Takes a run of digits. `point` becomes the place of a point before, between or after them, if there is none yet.
// Returns their number modulo 2**64.
__attribute__((always_inline)) inline uint64_t take_digits(const uint8_t*& p, const uint8_t* end,
                                                           const uint8_t*& point) {
  uint64_t value = 0;
  // Appends the first bits / 8 < 8 digits of a word.
  const auto append = [&](uint64_t word, int bits) {
    value = value * kTenTo[static_cast<size_t>(bits / 8)] + number_of_eight(word << (56 - bits) << 8);
    p += bits / 8;
  };
  for (;;) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    word ^= kZeroChars;
    if (end - p < 8) word |= ~uint64_t{0} << 8 * (end - p);
    uint64_t others = bytes_above_9(word);
    if (others == 0) {
      value = value * kTenTo8 + number_of_eight(word);
      p += 8;
      continue;
    }
    const int bits = __builtin_ctzll(others) & 56;
    if (point || (word >> bits & 0xFF) != kPointByte) {
      append(word, bits);
      return value;
    }
    point = p + bits / 8;
    // The point is removed.
    word ^= (word ^ word >> 8) & ~uint64_t{0} << bits;
    others &= others - 1;
    append(word, others == 0 ? 56 : (__builtin_ctzll(others) & 56) - 8);
    ++p;
    if (others != 0) return value;
  }
}

// Reads the first kMaxDigits of more digits before `end`, to which a point may belong, again.
__attribute__((noinline)) inline uint64_t read_first_digits(const uint8_t* p, const uint8_t* end) {
  uint64_t digits = 0;
  for (int i = 0; i < 2; ++i) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    word ^= kZeroChars;
    p += 8;
    if (const uint64_t others = bytes_above_9(word)) {
      // The digit after the word replaces the point.
      const int bits = __builtin_ctzll(others) & 56;
      word ^= (word ^ (word >> 8 | uint64_t{*p++ ^ uint64_t{'0'}} << 56)) & ~uint64_t{0} << bits;
    }
    digits = digits * kTenTo8 + number_of_eight(word);
  }
  for (int64_t count = 16; count < Decimal::kMaxDigits && p < end; ++p) {
    const auto digit = static_cast<uint8_t>(*p - '0');
    if (digit > 9) continue;  // the point
    digits = digits * 10 + digit;
    ++count;
  }
  return digits;
}

// Reads a number of any size that is the whole text from p to `end`, without whitespace around it. The text is two
// pointers because GCC copies a StringView as a vector, which waits for the stores of its words.
__attribute__((always_inline)) inline Decimal read_long_decimal(const uint8_t* p, const uint8_t* end) {
  Decimal number;
  number.form = Decimal::kNoNumber;
  number.minus = take_minus(p, end);
  if (p == end || static_cast<uint8_t>(*p - '.') > '9' - '.') return number;  // a word
  const uint8_t *const begin = p, *point = nullptr;
  for (; p < end && (*p == '0' || (*p == '.' && !point)); ++p) {
    if (*p == '.') point = p;
    uint64_t word;
    while (end - p > 8 && (std::memcpy(&word, p + 1, sizeof word), word == kZeroChars)) p += 8;
  }
  const uint8_t* const first = p;  // significant digit
  number.digits = take_digits(p, end, point);
  const uint8_t* const digits_end = p;
  int64_t exponent = point ? point + 1 - p : 0;
  if (p - begin == (point != nullptr)) return number;
  if (p != end) {
    if ((*p | 0x20) != 'e') return number;
    ++p;
    const bool is_negative = take_minus(p, end);
    if (p == end) return number;
    constexpr int64_t kLargest = int64_t{1} << 40;  // more than the digits of any string can make up for
    int64_t power = 0;
    for (; p != end; ++p) {
      if (!is_ascii_digit(*p)) return number;
      power = std::min(power * 10 + (*p - '0'), kLargest);
    }
    exponent += is_negative ? -power : power;
  }
  number.form = digits_end == end && !point ? Decimal::kInteger : Decimal::kFraction;
  const int64_t dropped = digits_end - first - (point && point >= first) - Decimal::kMaxDigits;
  if (dropped > 0) {
    number.digits = read_first_digits(first, digits_end);
    number.has_more_digits = true;
    exponent += dropped;
  }
  number.exponent = static_cast<int32_t>(std::clamp<int64_t>(exponent, INT32_MIN, INT32_MAX));
  return number;
}

// Same as read_long_decimal, but reads short numbers faster.
__attribute__((always_inline)) inline Decimal read_decimal(const uint8_t* begin, const uint8_t* end) {
  Decimal number;
  const uint8_t* p = begin;
  number.minus = take_minus(p, end);
  return read_short_decimal(p, end, number) ? number : read_long_decimal(begin, end);
}

// Reads strings [first, first + count), but none after which fewer than kReadAfterNumber bytes follow.
__attribute__((noinline)) inline void read_decimals(const StringSpan& in, int64_t first, int64_t count, Decimal* out) {
  for (int64_t k = 0; k < count; ++k) {
    const StringView text = in.view(in.range(first + k));
    const bool is_readable = in.data + in.num_bytes - text.end >= kReadAfterNumber;
    out[k] = is_readable ? read_decimal(text.begin, text.end) : Decimal();
  }
}

}  // namespace stringops
