// Finds the float nearest to a decimal number, ties to even, by one product of 128 bits (the method of Eisel and
// Lemire). It decides nearly every number, in each binary format directly, without rounding to a larger format first.
#pragma once

#include <cstdint>

#include "core/powers_of_ten.h"

namespace stringops {

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

}  // namespace stringops
