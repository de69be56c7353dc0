// Finds the shortest decimal number that is rounded to a float, and of several the closest. One product of 128 bits and
// the distance of floats decide nearly every number; the method of R. Giulietti, "The Schubfach way to render doubles",
// decides the others by three products.
#pragma once

#include <cstdint>

#include "core/powers_of_ten.h"

namespace stringops {

// The number (10 * tens + last) * 10**exponent; the digits can end in zeros.
struct ShortDecimal {
  uint64_t tens;
  uint64_t last;  // digit
  int exponent;
};

namespace detail {
// Returns digits * 10**p * 2**n, as given by `power` and the shift of `digits`, rounded to odd: the last bit of a
// number that is not an integer is 1, which keeps comparisons with integers right.
inline uint64_t product_to_odd(uint64_t digits, const PowerOfTen& power) {
  const PowerProduct product = multiply(digits, power);
  return product.high | (product.low != 0);
}
}  // namespace detail

// Finds the shortest decimal of the float significand * 2**exponent, which is not 0. If `is_power` (of two), the floats
// below it are half as far away as those above it, unless it is the least normal number.
__attribute__((noinline)) inline ShortDecimal shortest_decimal_exactly(uint64_t significand, int exponent,
                                                                       bool is_power) {
  // `power` is the greatest power of ten that is at most the distance of floats. One or several multiples of it are
  // rounded to this float, but at most one multiple of ten times it. It is the integer part of log10(2**exponent *
  // (is_power ? 3/4 : 1)).
  const int power = (exponent * 1262611 - (is_power ? 524031 : 0)) >> 22;
  const int shift = exponent + exponent_of_two(-power) + 1;
  const PowerOfTen& scale = power_of_ten(-power);
  // The unit is a quarter of 10**power: of the float, and of the middles between it and its neighbours, which are
  // rounded to it if it is even.
  const uint64_t odd = significand & 1;
  const uint64_t middle = detail::product_to_odd(4 * significand << shift, scale);
  const uint64_t low = detail::product_to_odd((4 * significand - 2 + is_power) << shift, scale) + odd;
  const uint64_t high = detail::product_to_odd((4 * significand + 2) << shift, scale) - odd;
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

}  // namespace stringops
