#include "core/parse_number.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/round_decimal.h"
#include "core/whitespace.h"

namespace stringops {
namespace {

// Returns the letters of a text of up to 8 bytes in lower case, the first one in the lowest byte; or 0. Other
// characters do not become letters.
uint64_t lower_case_word(StringView text) {
  if (text.size() < 1 || text.size() > 8) return 0;
  uint64_t word;
  std::memcpy(&word, text.begin, sizeof word);
  return (word | 0x2020202020202020) << 8 * (8 - text.size()) >> 8 * (8 - text.size());
}

constexpr uint64_t word_of(std::string_view letters) {
  uint64_t word = 0;
  for (size_t i = 0; i < letters.size(); ++i) word |= static_cast<uint64_t>(letters[i]) << 8 * i;
  return word;
}

// A natural number of any size; the least significant word is the first.
class BigNumber {
 public:
  BigNumber() { words_.reserve(64); }

  void multiply(uint32_t factor, uint64_t addend = 0) {
    for (uint32_t& word : words_) {
      addend += uint64_t{word} * factor;
      word = static_cast<uint32_t>(addend);
      addend >>= 32;
    }
    for (; addend != 0; addend >>= 32) words_.push_back(static_cast<uint32_t>(addend));
  }

  void multiply_by_power(uint32_t base, int64_t power) {
    while (power > 0) {
      uint32_t factor = 1;
      for (; power > 0 && factor <= UINT32_MAX / base; --power) factor *= base;
      multiply(factor);
    }
  }

  // Returns -1, 0 or 1 if this is less than, equal to or greater than the other one.
  int compare(const BigNumber& other) const {
    if (words_.size() != other.words_.size()) return words_.size() < other.words_.size() ? -1 : 1;
    const auto at = std::mismatch(words_.rbegin(), words_.rend(), other.words_.rbegin());
    return at.first == words_.rend() ? 0 : *at.first < *at.second ? -1 : 1;
  }

 private:
  std::vector<uint32_t> words_;
};

// Compares the decimal of a text, digits * 10**power if it has no more digits, with middle * 2**exponent, exactly.
int compare(StringView text, uint64_t digits, int64_t power, bool has_more_digits, uint64_t middle, int exponent) {
  // A middle of two floats has fewer digits: of the further ones, it matters only whether one is not 0.
  constexpr int64_t kMostDigits = 800;
  BigNumber mine, other;
  if (has_more_digits) {
    int64_t count = 0;
    uint32_t part = 0, scale = 1, rest = 0;
    for (const uint8_t* p = text.begin; p < text.end && (*p | 0x20) != 'e'; ++p) {
      if (!is_ascii_digit(*p) || (count == 0 && *p == '0')) continue;
      const uint32_t digit = *p - uint32_t{'0'};
      if (count == kMostDigits) {
        rest |= digit;
        continue;
      }
      ++count;
      part = part * 10 + digit;
      scale *= 10;
      if (scale == 1000000000) mine.multiply(std::exchange(scale, 1), std::exchange(part, 0));
    }
    mine.multiply(scale, part);
    mine.multiply(10, rest);
    power += Decimal::kMaxDigits - count - 1;
  } else {
    mine.multiply(0, digits);
  }
  other.multiply(0, middle);
  mine.multiply_by_power(5, power);
  other.multiply_by_power(5, -power);
  mine.multiply_by_power(2, power - exponent);
  other.multiply_by_power(2, exponent - power);
  return mine.compare(other);
}

// Returns whether a decimal is nearer to the number after the one of these bits.
template <int kPrecision, int kMinExponent>
__attribute__((noinline)) bool is_nearer_to_next(StringView text, uint64_t digits, int64_t power, bool has_more_digits,
                                                 uint64_t bits) {
  constexpr int kFraction = kPrecision - 1;
  const uint64_t biased = bits >> kFraction, fraction = bits & ((uint64_t{1} << kFraction) - 1);
  const uint64_t significand = fraction | uint64_t{biased != 0} << kFraction;
  const int exponent = kMinExponent - kFraction + static_cast<int>(biased) - (biased != 0);
  const int order = compare(text, digits, power, has_more_digits, 2 * significand + 1, exponent - 1);
  return order > 0 || (order == 0 && (bits & 1) != 0);
}

template <class Bits, class Float>
Parsed set_bits(uint64_t bits, uint64_t minus, Float& out) {
  const auto signed_bits = static_cast<Bits>(bits | minus << (8 * sizeof(Bits) - 1));
  static_assert(sizeof(Bits) == sizeof(Float));
  std::memcpy(&out, &signed_bits, sizeof out);
  return Parsed::kNumber;
}

// Reads a number that is a word.
template <class Bits, int kPrecision, int kMinExponent, class Float>
__attribute__((noinline)) Parsed parse_word(StringView text, Float& out) {
  constexpr auto kInfinity = uint64_t{2 * -kMinExponent + 3} << (kPrecision - 1);
  constexpr auto kNan = kInfinity | uint64_t{1} << (kPrecision - 2);
  const uint8_t* begin = text.begin;
  const bool is_negative = take_minus(begin, text.end);
  const uint64_t word = lower_case_word({begin, text.end});
  if (word == word_of("nan")) return set_bits<Bits>(kNan, is_negative, out);
  if (word != word_of("inf") && word != word_of("infinity")) return Parsed::kNoNumber;
  return set_bits<Bits>(kInfinity, is_negative, out);
}

template <class Bits, int kPrecision, int kMinExponent, class Float>
__attribute__((noinline)) Parsed parse_long_float(StringView text, Float& out) {
  const Decimal number = read_long_decimal(text.begin, text.end);
  if (__builtin_expect(number.form != Decimal::kNoNumber, true)) {
    uint64_t bits;
    if (!round_decimal<kPrecision, kMinExponent>(number.digits, number.exponent, number.has_more_digits, bits)) {
      bits += is_nearer_to_next<kPrecision, kMinExponent>(text, number.digits, number.exponent, number.has_more_digits,
                                                          bits);
    }
    return set_bits<Bits>(bits, number.minus, out);
  }
  const bool is_word = parse_word<Bits, kPrecision, kMinExponent>(text, out) == Parsed::kNumber;
  return is_word ? Parsed::kNumber : parse_filled(text, out);
}

// Reads a float. Short numbers are read here without a call, all others in parse_long_float.
template <class Bits, int kPrecision, int kMinExponent, class Float>
Parsed parse_float(StringView text, Float& out) {
  Decimal number;
  uint64_t bits;
  const uint8_t* p = text.begin;
  const uint64_t minus = take_minus(p, text.end);
  if (read_short_decimal(p, text.end, number)) {
    bool is_rounded = true;
    if constexpr (std::is_same_v<Float, double>) {
      // The digits and the power are exact, and the division is rounded correctly.
      static constexpr double kPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
      const double magnitude = static_cast<double>(static_cast<int64_t>(number.digits)) / kPowers[-number.exponent];
      std::memcpy(&bits, &magnitude, sizeof bits);
    } else {
      is_rounded = round_decimal<kPrecision, kMinExponent>(number.digits, number.exponent, false, bits);
    }
    if (is_rounded) return set_bits<Bits>(bits, minus, out);
  }
  return parse_long_float<Bits, kPrecision, kMinExponent>(text, out);
}

}  // namespace

StringView without_whitespace(StringView text) {
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

std::optional<PaddedText> PaddedText::without_underscores(StringView text) {
  if (std::find(text.begin, text.end, '_') == text.end) return std::nullopt;
  PaddedText rest;
  for (const uint8_t* p = text.begin; p < text.end; ++p) {
    if (*p != '_') {
      rest.bytes_ += static_cast<char>(*p);
    } else if (p == text.begin || text.end - p < 2 || !is_ascii_digit(p[-1]) || !is_ascii_digit(p[1])) {
      return std::nullopt;
    }
  }
  rest.pad();
  return rest;
}

bool read_long_integer(StringView text, uint64_t& magnitude) {
  bool overflows = false;
  magnitude = 0;
  for (const uint8_t* p = text.begin; p < text.end; ++p) {
    if (!is_ascii_digit(*p)) continue;  // the sign
    overflows |= __builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude);
    overflows |= __builtin_add_overflow(magnitude, uint64_t{*p} - '0', &magnitude);
  }
  return !overflows;
}

Parsed parse_padded(StringView text, double& out) {
  return parse_float<uint64_t, 53, -1022>(text, out);
}

Parsed parse_padded(StringView text, float& out) {
  return parse_float<uint32_t, 24, -126>(text, out);
}

Parsed parse_padded(StringView text, Half& out) {
  return parse_float<uint16_t, 11, -14>(text, out);
}

Parsed parse_padded(StringView text, BFloat& out) {
  return parse_float<uint16_t, 8, -126>(text, out);
}

Parsed parse_padded(StringView text, bool& out) {
  text = without_whitespace(text);
  const uint64_t word = lower_case_word(text);
  const uint8_t digit = text.size() == 1 ? *text.begin : 0;
  const bool is_true = word == word_of("true") || digit == '1';
  if (!is_true && word != word_of("false") && digit != '0') return Parsed::kNoNumber;
  out = is_true;
  return Parsed::kNumber;
}

}  // namespace stringops
