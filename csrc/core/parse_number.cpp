#include "core/parse_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

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

// A decimal number without its sign.
struct Decimal {
  StringView text;         // with underscores; without whitespace and sign
  uint64_t digits = 0;     // the first 19 significant digits
  int64_t num_digits = 0;  // significant ones: those after leading zeros
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

// Checks the grammar.
std::optional<Decimal> read_decimal(StringView text) {
  Decimal number;
  number.text = text;
  const auto add = [&](uint8_t digit) {
    if (number.num_digits == 0 && digit == 0) return false;
    if (number.num_digits < 19) number.digits = number.digits * 10 + digit;
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

constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

double nearest_double(const Decimal& number) {
  if (number.num_digits == 0) return 0;
  // Both factors are exact, so the result is rounded once.
  const int64_t shift = number.exponent - number.num_digits;
  if (number.num_digits <= 19 && number.digits <= uint64_t{1} << 53 && shift >= -22 && shift <= 22) {
    const auto digits = static_cast<double>(number.digits);
    return shift < 0 ? digits / kPowersOfTen[static_cast<size_t>(-shift)]
                     : digits * kPowersOfTen[static_cast<size_t>(shift)];
  }
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

// -1, 0 or 1 as the decimal is less than, equal to or greater than a positive double, exactly.
int compare(const Decimal& number, double value) {
  // All digits of the double: it has at most 767.
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

// The bits of the nearest number of a binary format with `kPrecision` bits of significand and exponents from
// kMinExponent on. `value` is the double nearest to the decimal. Half of a unit of the format is a double, so the
// decimal and `value` are on the same side of it, unless they are equal to it: then the decimal decides.
template <int kPrecision, int kMinExponent>
uint32_t round_to(const Decimal& number, double value) {
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

// Calls round(decimal, nearest double) for finite numbers; `infinity` and `nan` are bits of the format, as is `sign`.
template <class Bits, class Round>
std::optional<Bits> parse_bits(StringView text, Bits infinity, Bits nan, Bits sign, Round&& round) {
  text = without_whitespace(text);
  const Bits minus = take_minus(text) ? sign : Bits{0};
  const auto number = read_decimal(text);
  if (number) return static_cast<Bits>(minus | round(*number, nearest_double(*number)));
  if (equals_lower_case(text, "inf") || equals_lower_case(text, "infinity")) return static_cast<Bits>(minus | infinity);
  if (equals_lower_case(text, "nan")) return static_cast<Bits>(minus | nan);
  return std::nullopt;
}

template <class To, class From>
To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
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
  return as<double>(parse_bits<uint64_t>(text, 0x7FF0000000000000, 0x7FF8000000000000, uint64_t{1} << 63,
                                         [](const Decimal&, double value) { return bit_cast<uint64_t>(value); }));
}

std::optional<float> parse_float(StringView text) {
  return as<float>(parse_bits<uint32_t>(text, 0x7F800000, 0x7FC00000, uint32_t{1} << 31, round_to<24, -126>));
}

std::optional<Half> parse_half(StringView text) {
  return as<Half>(parse_bits<uint16_t>(text, 0x7C00, 0x7E00, 0x8000, round_to<11, -14>));
}

std::optional<BFloat> parse_bfloat(StringView text) {
  return as<BFloat>(parse_bits<uint16_t>(text, 0x7F80, 0x7FC0, 0x8000, round_to<8, -126>));
}

}  // namespace stringops
