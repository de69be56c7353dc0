// Finds the shortest decimal number that is rounded to a float, and of several the closest, by the method of R.
// Giulietti, "The Schubfach way to render doubles". It takes three products of 128 bits, and no loop.
#pragma once

#include <cstdint>

#include "core/powers_of_ten.h"

namespace stringops {

// The number digits * 10**exponent; `digits` can end in zeros.
struct ShortDecimal {
  uint64_t digits;
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
inline ShortDecimal shortest_decimal(uint64_t significand, int exponent, bool is_power) {
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
  // The choices are made without branches, as they are unpredictable. If the decimals below and above are both rounded
  // to the float, the closer one is chosen, or the even one.
  const uint64_t below = middle / 4, tens = below / 10 * 10, half = 4 * below + 2;
  const bool ten_below = low <= 4 * tens, ten_above = 4 * (tens + 10) <= high;
  const bool is_below = low <= 4 * below, is_above = 4 * (below + 1) <= high;
  const bool above_is_closer = (middle > half) | ((middle == half) & (below & 1));
  const uint64_t nearest = below + ((is_above & !is_below) | ((is_below == is_above) & above_is_closer));
  const uint64_t nearest_ten = tens + 10 * uint64_t{ten_above};
  const bool takes_ten = (below >= 10) & (ten_below != ten_above);
  return {nearest ^ ((nearest ^ nearest_ten) & -uint64_t{takes_ten}), power};
}

}  // namespace stringops
