#include "core/format_number.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

namespace stringops {
namespace {

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

constexpr double kPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

// Writes what is not finite; null if the value is.
char* format_special(double value, char* out) {
  if (std::isnan(value)) return append(out, "nan");
  if (std::isinf(value)) return append(out, value < 0 ? "-inf" : "inf");
  return nullptr;
}

// Writes digits of std::to_chars in scientific format, d.ddde+xx, as repr: exponents below -4 and from 16 on are
// written.
char* write_repr(const char* scientific, const char* end, char* out) {
  const char* p = scientific;
  if (*p == '-') *out++ = *p++;
  const char* const e = static_cast<const char*>(std::memchr(p, 'e', static_cast<size_t>(end - p)));
  char digits[24];
  int count = 0;
  for (; p < e; ++p) {
    if (*p != '.') digits[count++] = *p;
  }
  while (count > 1 && digits[count - 1] == '0') --count;
  int exponent = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  const std::string_view all(digits, static_cast<size_t>(count));
  if (exponent < -4 || exponent >= 16) {
    *out++ = digits[0];
    if (count > 1) {
      *out++ = '.';
      out = append(out, all.substr(1));
    }
    return append(out, std::string_view(e, static_cast<size_t>(end - e)));
  }
  if (exponent < 0) {
    out = append(out, "0.");
    for (int i = -1; i > exponent; --i) *out++ = '0';
    return append(out, all);
  }
  const int whole = exponent + 1;
  if (count <= whole) {
    out = append(out, all);
    for (int i = count; i < whole; ++i) *out++ = '0';
    return append(out, ".0");
  }
  out = append(out, all.substr(0, static_cast<size_t>(whole)));
  *out++ = '.';
  return append(out, all.substr(static_cast<size_t>(whole)));
}

// Writes a number of few digits, as prices and rounded values have; null if the value has more.
//
// Decimals of up to digits10 digits differ if they are numbers of a format at all. So one of them that is rounded to
// the value is the shortest that is, and its digits are those of an integer: the value times a power of ten.
template <class Float>
char* format_short(Float value, char* out) {
  constexpr double kUnits = 1e6;  // six decimals
  constexpr double kMaxDigits = sizeof(Float) == sizeof(double) ? 1e15 : 1e6;
  const double magnitude = std::abs(static_cast<double>(value));
  if (!(magnitude >= 1e-4 && magnitude < 1e15 / kUnits)) return nullptr;
  const double units = std::nearbyint(magnitude * kUnits);
  // The division is rounded correctly. Of a float, it is far enough from the middle of two floats to be rounded again.
  if (static_cast<Float>(units / kUnits) != static_cast<Float>(magnitude)) return nullptr;
  const auto number = static_cast<uint64_t>(units);
  uint64_t whole = number / static_cast<uint64_t>(kUnits);
  auto decimals = static_cast<uint32_t>(number % static_cast<uint64_t>(kUnits));
  int count = 6;
  if (decimals % 10000 == 0) {
    decimals /= 10000;
    count = 2;
  }
  while (count > 1 && decimals % 10 == 0) {
    decimals /= 10;
    --count;
  }
  // Digits with those of `whole`, as an integer.
  if (static_cast<double>(whole) * kPowers[count] + decimals >= kMaxDigits * (decimals == 0 ? 10 : 1)) return nullptr;
  if (std::signbit(value)) *out++ = '-';
  out = std::to_chars(out, out + kMaxNumberText, whole).ptr;
  *out = '.';
  for (int i = count; i > 0; --i) {
    out[i] = static_cast<char>('0' + decimals % 10);
    decimals /= 10;
  }
  return out + 1 + count;
}

template <class Float>
char* format_float(Float value, char* out) {
  if (char* const end = format_short(value, out)) return end;
  const Float magnitude = std::abs(value);
  // Numbers that repr writes without an exponent; larger ones std::to_chars writes with all digits, not the fewest.
  constexpr Float kLimit = 2 / std::numeric_limits<Float>::epsilon();
  if (magnitude >= Float(1e-4) && magnitude < kLimit) {
    char* const end = std::to_chars(out, out + kMaxNumberText, value, std::chars_format::fixed).ptr;
    return std::memchr(out, '.', static_cast<size_t>(end - out)) ? end : append(end, ".0");
  }
  if (char* const end = format_special(value, out)) return end;
  char text[kMaxNumberText];
  const char* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  return write_repr(text, end, out);
}

// The next number of as many digits, away from 0. Returns false if it has more digits.
bool increment(char* begin, char* end) {
  auto* const e = static_cast<char*>(std::memchr(begin, 'e', static_cast<size_t>(end - begin)));
  for (char* p = e - 1; p >= begin && *p != '-'; --p) {
    if (*p == '.') continue;
    if (*p != '9') {
      ++*p;
      return true;
    }
    *p = '0';
  }
  return false;
}

// A number of a format of 16 bits: the fewest digits that `parse` reads as the same number.
template <class Small, class Parse>
char* format_small(Small value, double exact, Parse&& parse, char* out) {
  if (char* const end = format_special(exact, out)) return end;
  const auto gives_value = [&](const char* begin, const char* end) {
    const auto* const first = reinterpret_cast<const uint8_t*>(begin);
    return parse({first, first + (end - begin)}) == value;
  };
  char text[kMaxNumberText];
  for (int precision = 0;; ++precision) {
    char* const end = std::to_chars(text, text + sizeof text, exact, std::chars_format::scientific, precision).ptr;
    if (gives_value(text, end)) return write_repr(text, end, out);
    // More numbers are rounded to a power of two from above than from below.
    if (increment(text, end) && gives_value(text, end)) return write_repr(text, end, out);
  }
}

double as_double(Half value) {
  const auto bits = static_cast<uint16_t>(value);
  const int exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  const double magnitude = exponent == 0x1F ? (fraction != 0 ? NAN : HUGE_VAL)
                           : exponent == 0  ? std::ldexp(fraction, -24)
                                            : std::ldexp(fraction + 0x400, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double as_double(BFloat value) {
  const uint32_t bits = static_cast<uint32_t>(value) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return static_cast<double>(result);
}

}  // namespace

char* format_number(double value, char* out) {
  return format_float(value, out);
}

char* format_number(float value, char* out) {
  return format_float(value, out);
}

char* format_number(Half value, char* out) {
  return format_small(value, as_double(value), parse_half, out);
}

char* format_number(BFloat value, char* out) {
  return format_small(value, as_double(value), parse_bfloat, out);
}

char* format_number(bool value, char* out) {
  return append(out, value ? "True" : "False");
}

}  // namespace stringops
