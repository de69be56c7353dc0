#include "core/format_number.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/powers_of_ten.h"

namespace stringops {
namespace {

// Finds the shortest decimal number that is rounded to a float, and of several the closest. One product of 128 bits and
// the distance of floats decide nearly every number; the method of R. Giulietti, "The Schubfach way to render doubles",
// decides the others by three products.

// The number (10 * tens + last) * 10**exponent; the digits can end in zeros.
struct ShortDecimal {
  uint64_t tens;
  uint64_t last;  // digit
  int exponent;
};

// Returns digits * 10**p * 2**n, as given by `power` and the shift of `digits`, rounded to odd: the last bit of a
// number that is not an integer is 1, which keeps comparisons with integers right.
inline uint64_t product_to_odd(uint64_t digits, const PowerOfTen& power) {
  const PowerProduct product = multiply(digits, power);
  return product.high | (product.low != 0);
}

// Finds the shortest decimal of the float significand * 2**exponent, which is not 0. If `is_power` (of two), the floats
// below it are half as far away as those above it, unless it is the least normal number.
__attribute__((noinline)) ShortDecimal shortest_decimal_exactly(uint64_t significand, int exponent, bool is_power) {
  // `power` is the greatest power of ten that is at most the distance of floats. One or several multiples of it are
  // rounded to this float, but at most one multiple of ten times it. It is the integer part of log10(2**exponent *
  // (is_power ? 3/4 : 1)).
  const int power = (exponent * 1262611 - (is_power ? 524031 : 0)) >> 22;
  const int shift = exponent + exponent_of_two(-power) + 1;
  const PowerOfTen& scale = power_of_ten(-power);
  // The unit is a quarter of 10**power: of the float, and of the middles between it and its neighbours, which are
  // rounded to it if it is even.
  const uint64_t odd = significand & 1;
  const uint64_t middle = product_to_odd(4 * significand << shift, scale);
  const uint64_t low = product_to_odd((4 * significand - 2 + is_power) << shift, scale) + odd;
  const uint64_t high = product_to_odd((4 * significand + 2) << shift, scale) - odd;
  // If the decimals below and above are both rounded to the float, the closer one is chosen, or the even one.
  const uint64_t below = middle / 4, tens = below / 10 * 10, half = 4 * below + 2;
  const bool ten_below = low <= 4 * tens, ten_above = 4 * (tens + 10) <= high;
  const bool is_below = low <= 4 * below, is_above = 4 * (below + 1) <= high;
  const bool above_is_closer = (middle > half) | ((middle == half) & (below & 1));
  const uint64_t nearest = below + ((is_above & !is_below) | ((is_below == is_above) & above_is_closer));
  if (below >= 10 && ten_below != ten_above) return {tens / 10 + ten_above, 0, power};
  return {nearest / 10, nearest % 10, power};
}

// Same as above, for a normal float that is not a power of two.
__attribute__((always_inline)) inline ShortDecimal shortest_decimal(uint64_t significand, int exponent) {
  // The unit is 10**power, at most the distance of floats: at least one multiple of it is rounded to this float, and at
  // most one multiple of ten units. In units, product.high is the integer part of the float, and product.low its
  // fraction.
  const int power = exponent * 1262611 >> 22;
  const int shift = exponent + exponent_of_two(-power) + 1;  // 1 to 4
  const PowerOfTen& scale = power_of_ten(-power);
  const PowerProduct product = multiply(significand << shift, scale);
  // In units of 2**-60: half the distance of floats, and the distances to the multiples of ten below and above.
  constexpr uint64_t kTen = uint64_t{10} << 60, kHalf = uint64_t{1} << 63;
  const uint64_t reach = scale.high >> (5 - shift), tens = product.high / 10, last = product.high - 10 * tens;
  const uint64_t to_below = last << 60 | product.low >> 4, to_above = kTen - to_below;
  // Each is off by less than 2.
  const auto are_close = [](uint64_t a, uint64_t b) { return int{a - b + 2 <= 4}; };
  if (__builtin_expect(are_close(to_below, reach) | are_close(to_above, reach) | are_close(product.low, kHalf),
                       false)) {
    return shortest_decimal_exactly(significand, exponent, false);
  }
  const bool ten_above = to_above < reach, takes_ten = (to_below < reach) | ten_above;
  // The choice is made without a branch, as it is unpredictable.
  return {tens + ten_above, (last + (product.low >> 63)) & (uint64_t{takes_ten} - 1), power};
}

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

void store(char* out, uint64_t word) {
  std::memcpy(out, &word, sizeof word);
}

// The number d.ddd * 10**exponent with up to 17 digits; the last ones can be 0.
struct Significant {
  uint64_t first;
  uint64_t low, high;  // the 16 others as characters, the first one in the lowest byte
  int count;           // of digits up to the last one that is not 0
  int exponent;
};

// Returns the digits of a decimal that has at most kMost digits: 17 or 9.
template <int kMost>
__attribute__((always_inline)) inline Significant significant_digits(ShortDecimal decimal) {
  constexpr uint64_t kLeast = kMost == 17 ? kTenTo16 / 100 : kTenTo8 / 100;  // of tens, so that few zeros precede them
  while (__builtin_expect(decimal.tens < kLeast, false)) {
    decimal = {10 * decimal.tens + decimal.last, 0, decimal.exponent - 1};
  }
  const uint64_t front = eight_digits_of(kMost == 17 ? decimal.tens / kTenTo8 : decimal.tens);
  const uint64_t back = kMost == 17 ? eight_digits_of(decimal.tens % kTenTo8) : decimal.last;
  const int zero_bits = __builtin_ctzll(front) & 56, taken = zero_bits + 8;
  const uint64_t low = front >> taken | back << (64 - taken);
  const uint64_t high = kMost == 17 ? back >> taken | decimal.last << (64 - taken) : 0;
  const int count = high != 0 ? 17 - (__builtin_clzll(high) >> 3) : low != 0 ? 9 - (__builtin_clzll(low) >> 3) : 1;
  return {front >> zero_bits, low | kZeroChars, high | kZeroChars, count, decimal.exponent + kMost - taken / 8};
}

// Writes a number as repr does: exponents below -4 and from 16 on are written.
__attribute__((always_inline)) inline char* write_repr(const Significant& number, char* out) {
  const auto first = static_cast<char>('0' + number.first);
  int exponent = number.exponent;
  if (exponent >= 0 && exponent < 16) {
    // The others are stored as decimals, and then the word with the point again; if that is the second one, the first
    // one has whole digits only.
    const int second = exponent & 8;
    const uint64_t point = uint64_t{1} << 8 * (exponent - second), word = second != 0 ? number.high : number.low;
    const uint64_t whole = word & (point - 1);
    out[0] = first;
    store(out + 10, number.high);
    store(out + 2 - second / 8, number.low);
    store(out + 1 + second, whole | point * '.' | (word ^ whole) << 8);
    return out + 1 + std::max(number.count, exponent + 2);
  }
  if (exponent < 0 && exponent >= -4) {
    append(out, "0.000");
    out += 1 - exponent;
    out[0] = first;
    store(out + 1, number.low);
    store(out + 9, number.high);
    return out + number.count;
  }
  out[0] = first;
  out[1] = '.';
  store(out + 2, number.low);
  store(out + 10, number.high);
  out += number.count + (number.count > 1);
  out[0] = 'e';
  out[1] = exponent < 0 ? '-' : '+';
  exponent = std::abs(exponent);
  const int hundreds = exponent * 41 >> 12, rest = exponent - 100 * hundreds, tens = rest * 103 >> 10;  // below 400
  out[2] = static_cast<char>('0' + hundreds);
  out += 2 + (hundreds != 0);
  out[0] = static_cast<char>('0' + tens);
  out[1] = static_cast<char>('0' + rest - 10 * tens);
  return out + 2;
}

// Formats a float of these bits, in a format of kPrecision bits of significand and exponents from kMinExponent on.
template <int kPrecision, int kMinExponent, class Bits>
char* format_bits(Bits bits, char* out) {
  constexpr int kFraction = kPrecision - 1;
  constexpr int kMaxBiased = 2 * -kMinExponent + 3;
  const uint64_t fraction = bits & ((uint64_t{1} << kFraction) - 1);
  const auto biased = static_cast<int>(uint64_t{bits} >> kFraction & kMaxBiased);
  if (biased == kMaxBiased && fraction != 0) return append(out, "nan");
  *out = '-';
  out += uint64_t{bits} >> (8 * sizeof(Bits) - 1);
  if (biased == kMaxBiased) return append(out, "inf");
  if (biased == 0 && fraction == 0) return append(out, "0.0");
  const uint64_t significand = biased == 0 ? fraction : fraction | uint64_t{1} << kFraction;
  const int exponent = kMinExponent - kFraction + std::max(biased, 1) - 1;
  const ShortDecimal decimal = biased == 0 || fraction == 0
                                   ? shortest_decimal_exactly(significand, exponent, fraction == 0 && biased > 1)
                                   : shortest_decimal(significand, exponent);
  return write_repr(significant_digits<(kPrecision > 24 ? 17 : 9)>(decimal), out);
}

constexpr double kShortPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

// Writes a number of few digits, as prices and rounded values have, in half the time of format_bits; null if the value
// has more.
//
// Different decimals of up to digits10 digits are different numbers of a format. So a decimal of so few digits that is
// rounded to the value is the shortest one, and its digits are those of an integer: the value times a power of ten.
char* format_short(double value, char* out) {
  constexpr double kUnits = 1e6;  // six decimals
  constexpr double kMaxDigits = 1e15;
  constexpr double kToInteger = 0x1.8p52;  // the sum with a number below 2**51 is rounded to an integer
  const double magnitude = std::abs(value);
  if (!(magnitude >= 1e-4 && magnitude < kMaxDigits / kUnits)) return nullptr;
  const double units = magnitude * kUnits + kToInteger - kToInteger;
  if (units / kUnits != magnitude) return nullptr;  // the division is rounded correctly
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
  // The digits of the decimals and of `whole` must fit, as an integer.
  if (static_cast<double>(whole) * kShortPowers[count] + decimals >= kMaxDigits * (decimals == 0 ? 10 : 1))
    return nullptr;
  if (std::signbit(value)) *out++ = '-';
  out = write_integer(whole, out);
  *out = '.';
  for (int i = count; i > 0; --i) {
    out[i] = static_cast<char>('0' + decimals % 10);
    decimals /= 10;
  }
  return out + 1 + count;
}

template <class To, class From>
To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace

char* format_number(double value, char* out) {
  if (char* const end = format_short(value, out)) return end;
  return format_bits<53, -1022>(bits_of<uint64_t>(value), out);
}

char* format_number(float value, char* out) {
  return format_bits<24, -126>(bits_of<uint32_t>(value), out);
}

char* format_number(Half value, char* out) {
  return format_bits<11, -14>(static_cast<uint16_t>(value), out);
}

char* format_number(BFloat value, char* out) {
  return format_bits<8, -126>(static_cast<uint16_t>(value), out);
}

char* format_number(bool value, char* out) {
  return append(out, value ? "True" : "False");
}

}  // namespace stringops
