#include "core/powers_of_ten.h"

#include "core/testing.h"

namespace stringops {
namespace {

// A power of five times a power of two, exact or rounded down; the least significant word is the first.
constexpr int kWords = 30;
struct LongNumber {
  uint32_t words[kWords] = {};
};

// Returns the 128 bits from the highest one of `x` that is set, rounded up.
constexpr PowerOfTen leading_bits(const LongNumber& x, bool is_exact) {
  int top = kWords - 1;
  while (x.words[top] == 0) --top;
  const int shift = __builtin_clz(x.words[top]);
  const auto shifted = [&](int i) {  // the word i of x << shift
    const uint64_t word = i >= 0 ? x.words[i] : 0, below = i >= 1 ? x.words[i - 1] : 0;
    return (word << 32 | below) << shift >> 32;
  };
  PowerOfTen result{shifted(top) << 32 | shifted(top - 1), shifted(top - 2) << 32 | shifted(top - 3)};
  for (int i = top - 4; i >= 0; --i) is_exact = is_exact && shifted(i) == 0;
  result.low += !is_exact;
  result.high += !is_exact && result.low == 0;
  return result;
}

constexpr PowersOfTen make_powers() {
  PowersOfTen powers{};
  LongNumber x{};
  x.words[0] = 1;
  for (int power = 0; power <= kGreatestPower; ++power) {
    powers.of[power - kLeastPower] = leading_bits(x, true);
    uint64_t carry = 0;
    for (uint32_t& word : x.words) {
      carry += uint64_t{word} * 5;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  // Repeated division, each rounded down, gives the quotient by the product of the divisors, rounded down.
  x = {};
  x.words[kWords - 1] = uint32_t{1} << 31;
  for (int power = -1; power >= kLeastPower; --power) {
    uint64_t rest = 0;
    for (int i = kWords - 1; i >= 0; --i) {
      rest = rest << 32 | x.words[i];
      x.words[i] = static_cast<uint32_t>(rest / 5);
      rest %= 5;
    }
    powers.of[power - kLeastPower] = leading_bits(x, false);
  }
  return powers;
}

}  // namespace

constexpr PowersOfTen kPowersOfTen = make_powers();

}  // namespace stringops

// Writes 10**power as it is in the table.
STRINGOPS_TEST_HOOK void stringops_power_of_ten(int power, uint64_t* high, uint64_t* low) {
  *high = stringops::power_of_ten(power).high;
  *low = stringops::power_of_ten(power).low;
}
