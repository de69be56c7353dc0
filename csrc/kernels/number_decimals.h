// Reads decimal numbers of up to 19 digits, eight characters at once (SWAR).
#pragma once

#include <cstdint>
#include <cstring>

#include "core/decimal_digits.h"
#include "core/string_span.h"

namespace stringops::kernels {

// A decimal number in text form: up to 19 significant digits, with at most one decimal point before, between or after
// them, after an optional minus; at most kMaxChars characters.
struct Decimal {
  static constexpr int64_t kMaxChars = 32;
  static constexpr uint8_t kDecimals = 31, kPoint = 32, kMinus = 64, kOther = 128;

  uint64_t digits;  // the digits as an integer, without the point
  uint8_t form;     // the number of digits after the point, kPoint, kMinus; or kOther for all other texts

  bool is_other() const { return form & kOther; }
  bool has_point() const { return form & kPoint; }
  bool is_negative() const { return form & kMinus; }
  int decimals() const { return form & kDecimals; }
};

constexpr uint64_t kTenTo18 = kTenTo16 * 100;

// Reads a number byte by byte.
inline Decimal read_long_decimal(StringView text) {
  Decimal number{0, 0};
  const uint8_t* p = text.begin;
  const uint8_t* const end = text.begin + text.size();
  if (text.size() > Decimal::kMaxChars) return {0, Decimal::kOther};
  if (p < end && *p == '-') {
    number.form |= Decimal::kMinus;
    ++p;
  }
  bool has_digits = false;
  for (; p < end; ++p) {
    const auto digit = static_cast<uint8_t>(*p - '0');
    if (digit < 10) {
      if (number.digits >= kTenTo18) return {0, Decimal::kOther};
      number.digits = number.digits * 10 + digit;
      has_digits = true;
    } else if (*p == '.' && !number.has_point()) {
      number.form = static_cast<uint8_t>(number.form | Decimal::kPoint | (end - p - 1));
    } else {
      return {0, Decimal::kOther};
    }
  }
  return has_digits ? number : Decimal{0, Decimal::kOther};
}

// Returns the number of eight digits, one in each byte, the first one in the lowest byte.
constexpr uint64_t eight_digits(uint64_t word) {
  word = word * 10 + (word >> 8);  // numbers of two digits, in every second byte
  constexpr uint64_t kMask = 0x000000FF000000FF;
  return ((word & kMask) * (100 + (uint64_t{1000000} << 32)) + (word >> 16 & kMask) * (1 + (uint64_t{10000} << 32))) >>
         32;
}

// Converts characters, less '0', to digits. Returns false for other characters than digits and a single point, which is
// removed; `form` gets the number of decimals after it.
template <class Word>
bool take_point(Word& word, uint8_t& form) {
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
  form = static_cast<uint8_t>(form | Decimal::kPoint | (kTop - at));
  return true;
}

// Same as read_long_decimal for 1 to 16 characters, of which 17 bytes may be read.
inline Decimal read_short_decimal(StringView text) {
  __extension__ using Wide = unsigned __int128;
  constexpr uint64_t kZeros = 0x3030303030303030;
  Decimal number{0, 0};
  const bool minus = *text.begin == '-';
  text.begin += minus;
  number.form = static_cast<uint8_t>(minus * Decimal::kMinus);
  uint64_t low, high;
  std::memcpy(&low, text.begin, sizeof low);
  if (text.size() <= 8) {
    if (text.size() <= 0) return {0, Decimal::kOther};
    uint64_t word = (low ^ kZeros) << 8 * (8 - text.size());
    if (!take_point(word, number.form) || (text.size() == 1 && number.has_point())) return {0, Decimal::kOther};
    number.digits = eight_digits(word);
    return number;
  }
  std::memcpy(&high, text.begin + 8, sizeof high);
  Wide word = (Wide{high ^ kZeros} << 64 | (low ^ kZeros)) << 8 * (16 - text.size());
  if (!take_point(word, number.form)) return {0, Decimal::kOther};
  number.digits = eight_digits(static_cast<uint64_t>(word)) * kTenTo8 + eight_digits(static_cast<uint64_t>(word >> 64));
  return number;
}

// Reads the number in a text. Bytes up to readable_end may be read.
inline Decimal read_decimal(StringView text, const uint8_t* readable_end) {
  const bool is_short = text.size() > 0 && text.size() <= 16 && readable_end - text.begin > 16;
  return is_short ? read_short_decimal(text) : read_long_decimal(text);
}

}  // namespace stringops::kernels
