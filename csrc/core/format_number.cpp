#include "core/format_number.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/shortest_decimal.h"

namespace stringops {
namespace {

__extension__ using Wide = unsigned __int128;

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// Stores 16 bytes as two words: GCC would first store these words, and then wait for both to load them as a vector.
void store(char* out, Wide bytes) {
  for (const int shift : {0, 64}) {
    const auto word = static_cast<uint64_t>(bytes >> shift);
    std::memcpy(out + shift / 8, &word, sizeof word);
  }
}

constexpr int kDigits = 17;  // no number needs more

// The number d.ddd * 10**exponent with kDigits digits; the last ones can be 0.
struct Significant {
  char first;
  Wide others;  // the first one of them in the lowest byte, all as characters
  int count;    // up to the last one that is not 0
  int exponent;
};

constexpr uint64_t kPowers[kDigits + 1] = {1,
                                           10,
                                           100,
                                           1000,
                                           10000,
                                           100000,
                                           1000000,
                                           10000000,
                                           100000000,
                                           1000000000,
                                           10000000000,
                                           100000000000,
                                           1000000000000,
                                           10000000000000,
                                           100000000000000,
                                           1000000000000000,
                                           10000000000000000,
                                           100000000000000000};

// Returns the digits of a decimal that has at most kMost digits: 17 or 9.
template <int kMost>
Significant significant_digits(const ShortDecimal& decimal) {
  int count = (64 - __builtin_clzll(decimal.digits)) * 1233 >> 12;
  count += decimal.digits >= kPowers[count];
  const uint64_t all = decimal.digits * kPowers[kMost - count];
  const uint64_t first = all / kPowers[kMost - 1], rest = all % kPowers[kMost - 1];
  const uint64_t high = eight_digits_of(kMost == 9 ? rest : rest / kTenTo8);
  const uint64_t low = kMost == 9 ? 0 : eight_digits_of(rest % kTenTo8);
  const int last = low != 0 ? 17 - __builtin_clzll(low) / 8 : high != 0 ? 9 - __builtin_clzll(high) / 8 : 1;
  return {static_cast<char>('0' + first), Wide{low | kZeroChars} << 64 | (high | kZeroChars), last,
          decimal.exponent + count - 1};
}

// Writes a number as repr does: exponents below -4 and from 16 on are written.
__attribute__((always_inline)) inline char* write_repr(const Significant& number, char* out) {
  const int exponent = number.exponent;
  if (exponent == 0) {
    out[0] = number.first;
    out[1] = '.';
    store(out + 2, number.others);
    return out + 1 + std::max(number.count, 2);
  }
  if (exponent > 0 && exponent < 16) {
    const Wide whole = number.others & ((Wide{1} << 8 * exponent) - 1);
    out[0] = number.first;
    store(out + 1, whole | Wide{'.'} << 8 * exponent | (number.others ^ whole) << 8);
    out[kDigits] = static_cast<char>(number.others >> 120);
    return out + 1 + std::max(number.count, exponent + 2);
  }
  if (exponent < 0 && exponent >= -4) {
    append(out, "0.000");
    out += 1 - exponent;
    *out = number.first;
    store(out + 1, number.others);
    return out + number.count;
  }
  out[0] = number.first;
  out[1] = '.';
  store(out + 2, number.others);
  out += number.count == 1 ? 1 : number.count + 1;
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  const auto magnitude = static_cast<uint64_t>(exponent < 0 ? -exponent : exponent);
  if (magnitude < 10) *out++ = '0';
  return write_short_integer(magnitude, out);
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
  const bool is_normal = biased != 0;
  const uint64_t significand = fraction | uint64_t{is_normal} << kFraction;
  const int exponent = kMinExponent - kFraction + biased - is_normal;
  const ShortDecimal decimal = shortest_decimal(significand, exponent, fraction == 0 && biased > 1);
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
