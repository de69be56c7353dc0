// Parses numbers by the grammar of Python's int() and float() with ASCII digits: whitespace (also that of Unicode)
// around the number, a sign, single underscores between digits; for floats also inf, infinity and nan, in any case.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "core/powers_of_ten.h"
#include "core/read_decimal.h"
#include "core/string_span.h"

namespace stringops {

// Finds the float nearest to a decimal number, ties to even, by one product of 128 bits (the method of Eisel and
// Lemire). It decides nearly every number, in each binary format directly, without rounding to a larger format first.
//
// Sets `bits` to those of the number of a format nearest to digits * 10**exponent. The format has kPrecision bits of
// significand, and exponents from kMinExponent on. If the decimal has more digits, it is between these and the next
// ones. If the product does not decide, because the number is too close to the middle of two numbers, returns false,
// and `bits` are those of the lower one.
template <int kPrecision, int kMinExponent>
inline bool round_decimal(uint64_t digits, int64_t exponent, bool has_more_digits, uint64_t& bits) {
  constexpr uint64_t kInfinity = static_cast<uint64_t>(2 * -kMinExponent + 3) << (kPrecision - 1);
  constexpr int kMaxExponent = 308;        // of ten, in any format
  constexpr int kGreatestExactPower = 55;  // 5**55 < 2**128
  if (digits == 0 || exponent < kLeastPower) {
    bits = 0;
    return true;
  }
  if (exponent > kMaxExponent) {
    bits = kInfinity;
    return true;
  }
  const auto power = static_cast<int>(exponent);
  const int leading_zeros = __builtin_clzll(digits);
  const PowerProduct product = multiply(digits << leading_zeros, power_of_ten(power));
  // The number is between product - 1 and product + 1, times a power of two, and product has 127 or 128 bits.
  const auto top = static_cast<int>(product.high >> 63);
  int binary = 63 + top - leading_zeros + exponent_of_two(power);  // exponent of the highest bit
  int dropped = 63 + top - kPrecision;                             // bits of product.high that do not fit the format
  if (binary < kMinExponent) {
    dropped += kMinExponent - binary;
    binary = kMinExponent;
    if (dropped > 64) {  // the digits are less than half of the least number
      bits = 0;
      return dropped > 65 || !has_more_digits;
    }
  }
  uint64_t units = dropped == 64 ? 0 : product.high >> dropped;
  const uint64_t rest = dropped == 64 ? product.high : product.high - (units << dropped);
  const uint64_t half = uint64_t{1} << (dropped - 1);
  bool is_decided = true;
  // The number may be in the middle, or reach it, as further digits add less than one to the digits.
  const uint64_t reach = uint64_t{has_more_digits} << leading_zeros;
  if (__builtin_expect(half - rest <= reach, false) && (rest < half || product.low == 0)) {
    is_decided = power >= 0 && power <= kGreatestExactPower && !has_more_digits;
    units += uint64_t{is_decided} & units;
  } else {
    units += rest >= half;
  }
  // The leading bit of normal numbers adds 1 to the exponent; so does a carry.
  const uint64_t rounded = (static_cast<uint64_t>(binary - kMinExponent) << (kPrecision - 1)) + units;
  bits = rounded < kInfinity ? rounded : kInfinity;
  return is_decided || bits == kInfinity;
}

enum class Parsed { kNumber, kNoNumber, kOutOfRange };

// A float of 16 bits.
enum class Half : uint16_t {};
enum class BFloat : uint16_t {};

// The bits of the significand of a format of floats, and its least exponent.
struct FloatFormat {
  int precision;
  int min_exponent;
};
template <class Float>
constexpr FloatFormat kFormat{53, -1022};  // of float64
template <>
inline constexpr FloatFormat kFormat<float>{24, -126};
template <>
inline constexpr FloatFormat kFormat<Half>{11, -14};
template <>
inline constexpr FloatFormat kFormat<BFloat>{8, -126};

template <class Float>
void set_bits(uint64_t bits, bool minus, Float& out) {
  bits |= uint64_t{minus} << (8 * sizeof(Float) - 1);
  std::memcpy(&out, &bits, sizeof out);  // little-endian
}

// The powers of ten that are exact in float64, 10**0 to 10**kExactPower, after as many ones.
constexpr int kExactPower = 22;
constexpr auto kExactPowers = [] {
  std::array<double, 2 * kExactPower + 1> powers{};
  for (size_t i = 0; i < powers.size(); ++i) powers[i] = i <= kExactPower ? 1 : 10 * powers[i - 1];
  return powers;
}();

// Sets `bits` to those of the float nearest to the absolute value of a decimal. Returns false if only the text decides;
// `bits` are then those of the lower one of two floats.
template <class Float>
__attribute__((always_inline)) inline bool round_to(const Decimal& number, uint64_t& bits) {
  constexpr FloatFormat kTo = kFormat<Float>;
  const int power = number.exponent;
  if (kTo.precision >= 24 && number.digits < kTenTo[15] && power >= -kExactPower && power <= kExactPower) {
    // The digits and both powers, of which one is 1, are exact, so that the float64 is the nearest one.
    const double magnitude = static_cast<double>(static_cast<int64_t>(number.digits)) *
                             kExactPowers[static_cast<size_t>(kExactPower + power)] /
                             kExactPowers[static_cast<size_t>(kExactPower - power)];
    std::memcpy(&bits, &magnitude, sizeof bits);
    if constexpr (std::is_same_v<Float, double>) return true;
    // So is the float32 nearest to it, unless it is in the middle of two.
    const auto narrow = static_cast<float>(magnitude);
    const bool is_middle = bits << 35 == uint64_t{1} << 63;
    bits = 0;
    std::memcpy(&bits, &narrow, sizeof narrow);
    if (!is_middle) return true;
  }
  return round_decimal<kTo.precision, kTo.min_exponent>(number.digits, power, number.has_more_digits, bits);
}

// Sets `out` to the number of a decimal. Returns false if there is none, or the text must be read in another way.
template <class Number>
__attribute__((always_inline)) inline bool take_number(const Decimal& number, Number& out) {
  uint64_t bits = number.digits;
  if constexpr (std::is_integral_v<Number>) {
    using Limits = std::numeric_limits<Number>;
    const uint64_t minus = number.minus, largest = static_cast<uint64_t>(Limits::max());
    const uint64_t limit = Limits::is_signed ? largest + minus : minus ? 0 : largest;
    if (number.form != Decimal::kInteger || number.has_more_digits || bits > limit) return false;
    out = static_cast<Number>((bits ^ -minus) + minus);
    return true;
  } else {
    if (number.form > Decimal::kFraction || !round_to<Number>(number, bits)) return false;
    set_bits(bits, number.minus, out);
    return true;
  }
}

// Reads the magnitude of an integer that has more digits than a Decimal. Returns false if 64 bits do not hold it.
bool read_long_integer(StringView text, uint64_t& magnitude);

// Returns whether the decimal of a text is nearer to the float after the one of these bits than to that one.
bool is_nearer_to_next(StringView text, const Decimal& number, uint64_t bits, FloatFormat format);

// Reads an infinity or NaN. Returns false if the text is neither.
bool read_word(StringView text, FloatFormat format, uint64_t& bits, bool& minus);

// Returns the text without the whitespace around it.
StringView without_whitespace(StringView text);

// A copy of a text, after which kReadAfterNumber bytes may be read.
class PaddedText {
 public:
  explicit PaddedText(StringView text) : bytes_(text.begin, text.end) { pad(); }

  // Returns the text without single underscores between digits, if it has any, and no others.
  static std::optional<PaddedText> without_underscores(StringView text);

  StringView view() const { return {bytes_of(bytes_), bytes_of(bytes_) + bytes_.size() - kReadAfterNumber}; }

 private:
  PaddedText() = default;
  void pad() { bytes_.append(kReadAfterNumber, '\0'); }

  std::string bytes_;
};

// Same as parse_number, for a text after which kReadAfterNumber bytes may be read.
Parsed parse_padded(StringView text, bool& out);
template <class Number>
Parsed parse_padded(StringView text, Number& out);

// Same as parse_padded, for a text that was read as `number`.
template <class Number>
Parsed parse_decimal(StringView text, Decimal number, Number& out) {
  if (take_number(number, out)) return Parsed::kNumber;
  if (number.form == Decimal::kNoNumber) {
    uint64_t bits;
    if constexpr (!std::is_integral_v<Number>) {
      if (read_word(text, kFormat<Number>, bits, number.minus)) {
        set_bits(bits, number.minus, out);
        return Parsed::kNumber;
      }
    }
    const StringView trimmed = without_whitespace(text);
    if (trimmed.size() != text.size()) return parse_padded(trimmed, out);
    const auto rest = PaddedText::without_underscores(text);
    return rest ? parse_padded(rest->view(), out) : Parsed::kNoNumber;
  }
  if constexpr (std::is_integral_v<Number>) {
    if (number.form != Decimal::kInteger) return Parsed::kNoNumber;
    const bool fits = number.has_more_digits && read_long_integer(text, number.digits);
    number.has_more_digits = false;
    return fits && take_number(number, out) ? Parsed::kNumber : Parsed::kOutOfRange;
  } else {
    uint64_t bits;
    round_to<Number>(number, bits);
    set_bits(bits + is_nearer_to_next(text, number, bits, kFormat<Number>), number.minus, out);
    return Parsed::kNumber;
  }
}

template <class Number>
Parsed parse_padded(StringView text, Number& out) {
  return parse_decimal(text, read_decimal(text.begin, text.end), out);
}

// Parses a number. Bytes up to readable_end, which is not before the end of the text, may be read. Sets `out` only if
// the result is kNumber.
//
// Floats are rounded to the nearest number of the type in one step, ties to even. Numbers beyond the range become
// infinite, or 0. The texts of bool are "true", "false", "1" and "0", in any case.
template <class Number>
Parsed parse_number(StringView text, const uint8_t* readable_end, Number& out) {
  if (__builtin_expect(readable_end - text.end >= kReadAfterNumber, true)) return parse_padded(text, out);
  return parse_padded(PaddedText(text).view(), out);
}

}  // namespace stringops
