// Powers of ten as numbers of 128 bits.
#pragma once

#include <cstdint>

namespace stringops {

// 10**p times the power of two by which the number is at least 2**127 and below 2**128, rounded up.
struct PowerOfTen {
  uint64_t high;
  uint64_t low;
};

constexpr int kLeastPower = -342;
constexpr int kGreatestPower = 324;
struct PowersOfTen {
  PowerOfTen of[kGreatestPower - kLeastPower + 1];
};
extern const PowersOfTen kPowersOfTen;

inline const PowerOfTen& power_of_ten(int power) {
  return kPowersOfTen.of[power - kLeastPower];
}

// Returns the greatest n with 2**n <= 10**power, for powers from -400 to 400.
constexpr int exponent_of_two(int power) {
  return power * 1741647 >> 19;
}

// The upper 128 of the 192 bits of a product.
struct PowerProduct {
  uint64_t high;
  uint64_t low;
};

// Returns digits * power / 2**64, rounded down. Because the power is rounded up by less than 1, the result y and the
// exact quotient x of the power of ten satisfy y - 1 < x < y + 1.
inline PowerProduct multiply(uint64_t digits, const PowerOfTen& power) {
  __extension__ using Wide = unsigned __int128;
  const Wide lower = Wide{digits} * power.low;
  const Wide upper = Wide{digits} * power.high + static_cast<uint64_t>(lower >> 64);
  return {static_cast<uint64_t>(upper >> 64), static_cast<uint64_t>(upper)};
}

}  // namespace stringops
