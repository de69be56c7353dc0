#include "core/parse_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "core/round_decimal.h"

namespace stringops {
namespace {

bool equals_lower_case(StringView text, std::string_view lower) {
  if (text.size() != static_cast<int64_t>(lower.size())) return false;
  for (size_t i = 0; i < lower.size(); ++i) {
    const uint8_t byte = text.begin[i];
    const uint8_t lowered = byte >= 'A' && byte <= 'Z' ? static_cast<uint8_t>(byte + 32) : byte;
    if (lowered != static_cast<uint8_t>(lower[i])) return false;
  }
  return true;
}

constexpr int64_t kFirstDigits = 19;  // as many digits as 64 bits hold

// A decimal number without its sign.
struct DecimalText {
  StringView text;         // with underscores; without whitespace and sign
  uint64_t digits = 0;     // the first kFirstDigits significant ones
  int64_t num_digits = 0;  // significant digits: those after leading zeros
  int64_t exponent = 0;    // the value is 0.d1d2d3... * 10**exponent
  bool has_underscores = false;
};

// Reads digits with single underscores between them; calls f(digit). Returns how many, or nothing if one is misplaced.
template <class F>
std::optional<int64_t> take_digits(const uint8_t*& p, const uint8_t* end, bool& has_underscores, F&& f) {
  int64_t count = 0;
  for (; p < end; ++p) {
    if (is_ascii_digit(*p)) {
      f(static_cast<uint8_t>(*p - '0'));
      ++count;
    } else if (*p == '_') {
      if (count == 0 || p + 1 == end || !is_ascii_digit(p[1])) return std::nullopt;
      has_underscores = true;
    } else {
      break;
    }
  }
  return count;
}

// Reads a decimal number, and checks its grammar.
std::optional<DecimalText> read_decimal(StringView text) {
  DecimalText number;
  number.text = text;
  const auto add = [&](uint8_t digit) {
    if (number.num_digits == 0 && digit == 0) return false;
    if (number.num_digits < kFirstDigits) number.digits = number.digits * 10 + digit;
    ++number.num_digits;
    return true;
  };
  const uint8_t* p = text.begin;
  const auto whole = take_digits(p, text.end, number.has_underscores, [&](uint8_t d) { number.exponent += add(d); });
  if (!whole) return std::nullopt;
  int64_t fraction = 0;
  if (p < text.end && *p == '.') {
    const auto found = take_digits(++p, text.end, number.has_underscores, [&](uint8_t d) {
      if (!add(d)) --number.exponent;  // a leading zero
    });
    if (!found) return std::nullopt;
    fraction = *found;
  }
  if (*whole + fraction == 0) return std::nullopt;
  if (p < text.end && (*p | 0x20) == 'e') {
    StringView rest{p + 1, text.end};
    const bool minus = take_minus(rest);
    p = rest.begin;
    int64_t exponent = 0;
    constexpr int64_t kLargest = int64_t{1} << 40;  // more than the digits of any string can make up for
    const auto found = take_digits(p, text.end, number.has_underscores,
                                   [&](uint8_t d) { exponent = std::min(exponent * 10 + d, kLargest); });
    if (!found || *found == 0) return std::nullopt;
    number.exponent += minus ? -exponent : exponent;
  }
  if (p != text.end) return std::nullopt;
  return number;
}

// Rounds by the C++ library, which reads the text again.
double nearest_double(const DecimalText& number) {
  if (number.exponent > 310) return HUGE_VAL;
  if (number.exponent < -330) return 0;
  const auto* begin = reinterpret_cast<const char*>(number.text.begin);
  const auto* end = reinterpret_cast<const char*>(number.text.end);
  std::string without;
  if (number.has_underscores) {
    for (const char* p = begin; p < end; ++p) {
      if (*p != '_') without += *p;
    }
    begin = without.data();
    end = begin + without.size();
  }
  double value = 0;
  const auto result = std::from_chars(begin, end, value);
  if (result.ec == std::errc::result_out_of_range) return number.exponent > 0 ? HUGE_VAL : 0;
  return value;
}

// Returns -1, 0 or 1 if the decimal is less than, equal to or greater than a positive double, exactly.
int compare(const DecimalText& number, double value) {
  // The text has all digits of the double, at most 767.
  std::array<char, 800> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 770).ptr;
  const char* const e = static_cast<const char*>(std::memchr(text.data(), 'e', static_cast<size_t>(end - text.data())));
  int exponent = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  if (number.exponent != exponent + 1) return number.exponent < exponent + 1 ? -1 : 1;
  const char* digit = text.data();
  const auto next = [&]() -> int {
    if (digit < e && *digit == '.') ++digit;
    return digit < e ? *digit++ - '0' : 0;
  };
  bool significant = false;
  for (const uint8_t* p = number.text.begin; p < number.text.end && (*p | 0x20) != 'e'; ++p) {
    if (!is_ascii_digit(*p)) continue;
    significant |= *p != '0';
    if (!significant) continue;
    const int mine = *p - '0', other = next();
    if (mine != other) return mine < other ? -1 : 1;
  }
  while (digit < e) {
    if (next() != 0) return -1;
  }
  return 0;
}

// Returns the bits of the nearest number of a binary format with `kPrecision` bits of significand and exponents from
// kMinExponent on. `value` is the double nearest to the decimal. Half of a unit of the format is a double, so the
// decimal and `value` are on the same side of it, unless they are equal to it: then the decimal decides.
template <int kPrecision, int kMinExponent>
uint32_t round_to(const DecimalText& number, double value) {
  constexpr uint32_t kInfinity = static_cast<uint32_t>(2 * -kMinExponent + 3) << (kPrecision - 1);
  if (value == 0) return 0;
  if (std::isinf(value)) return kInfinity;
  const int exponent = std::max(std::ilogb(value), kMinExponent);
  const double scaled = std::ldexp(value, kPrecision - 1 - exponent);  // exact: below 2**kPrecision
  auto units = static_cast<uint32_t>(scaled);
  const double rest = scaled - units;
  if (rest > 0.5) {
    ++units;
  } else if (rest == 0.5) {
    const int order = compare(number, value);
    units += order > 0 || (order == 0 && (units & 1));
  }
  // The leading bit of normal numbers adds 1 to the exponent; so does a carry.
  const int64_t bits = (int64_t{exponent - kMinExponent} << (kPrecision - 1)) + units;
  return bits > kInfinity ? kInfinity : static_cast<uint32_t>(bits);
}

template <class To, class From>
To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// Returns the bits of the nearest number of a format.
template <int kPrecision, int kMinExponent>
uint64_t nearest_bits(const DecimalText& number) {
  const int64_t count = std::min<int64_t>(number.num_digits, kFirstDigits), exponent = number.exponent - count;
  uint64_t bits = 0, next = 0;
  if (round_decimal<kPrecision, kMinExponent>(number.digits, exponent, bits)) {
    if (number.num_digits <= kFirstDigits) return bits;
    // Because of its further digits, the number is between these digits and the next ones.
    if (round_decimal<kPrecision, kMinExponent>(number.digits + 1, exponent, next) && next == bits) return bits;
  }
  const double value = nearest_double(number);
  if constexpr (kPrecision == 53) {
    return bit_cast<uint64_t>(value);
  } else {
    return round_to<kPrecision, kMinExponent>(number, value);
  }
}

template <class Bits, int kPrecision, int kMinExponent>
std::optional<Bits> parse_bits(StringView text) {
  constexpr auto kInfinity = static_cast<Bits>(static_cast<Bits>(2 * -kMinExponent + 3) << (kPrecision - 1));
  constexpr auto kNan = static_cast<Bits>(kInfinity | Bits{1} << (kPrecision - 2));
  text = without_whitespace(text);
  const auto minus = static_cast<Bits>(static_cast<Bits>(take_minus(text)) << (8 * sizeof(Bits) - 1));
  const auto number = read_decimal(text);
  if (number) return static_cast<Bits>(minus | nearest_bits<kPrecision, kMinExponent>(*number));
  if (equals_lower_case(text, "inf") || equals_lower_case(text, "infinity")) {
    return static_cast<Bits>(minus | kInfinity);
  }
  if (equals_lower_case(text, "nan")) return static_cast<Bits>(minus | kNan);
  return std::nullopt;
}

template <class To, class Bits>
std::optional<To> as(std::optional<Bits> bits) {
  if (!bits) return std::nullopt;
  return bit_cast<To>(*bits);
}

}  // namespace

std::optional<bool> parse_bool(StringView text) {
  text = without_whitespace(text);
  if (equals_lower_case(text, "true") || equals_lower_case(text, "1")) return true;
  if (equals_lower_case(text, "false") || equals_lower_case(text, "0")) return false;
  return std::nullopt;
}

std::optional<double> parse_double(StringView text) {
  return as<double>(parse_bits<uint64_t, 53, -1022>(text));
}

std::optional<float> parse_float(StringView text) {
  return as<float>(parse_bits<uint32_t, 24, -126>(text));
}

std::optional<Half> parse_half(StringView text) {
  return as<Half>(parse_bits<uint16_t, 11, -14>(text));
}

std::optional<BFloat> parse_bfloat(StringView text) {
  return as<BFloat>(parse_bits<uint16_t, 8, -126>(text));
}

}  // namespace stringops
