// Numbers of a tokenizer.json as `tokenizers` reads them.
//
// Its JSON library takes the digits of a number as one integer, converts this to a float64, and multiplies or divides
// by a power of ten. The result may differ from the nearest float64 in the last bit, and decides between two ways to
// cut a text whose scores are nearly equal.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace stringops::convert {

constexpr int64_t kMaxPower = 308;

// The float64 nearest to each power of ten.
inline double power_of_ten(int64_t exponent) {
#define STRINGOPS_TEN_POWERS(tens) \
  1e##tens##0, 1e##tens##1, 1e##tens##2, 1e##tens##3, 1e##tens##4, 1e##tens##5, 1e##tens##6, 1e##tens##7, 1e##tens##8
#define STRINGOPS_POWERS(tens) STRINGOPS_TEN_POWERS(tens), 1e##tens##9
  static constexpr double kPowers[kMaxPower + 1] = {
      STRINGOPS_POWERS(),      STRINGOPS_POWERS(1),  STRINGOPS_POWERS(2),  STRINGOPS_POWERS(3),  STRINGOPS_POWERS(4),
      STRINGOPS_POWERS(5),     STRINGOPS_POWERS(6),  STRINGOPS_POWERS(7),  STRINGOPS_POWERS(8),  STRINGOPS_POWERS(9),
      STRINGOPS_POWERS(10),    STRINGOPS_POWERS(11), STRINGOPS_POWERS(12), STRINGOPS_POWERS(13), STRINGOPS_POWERS(14),
      STRINGOPS_POWERS(15),    STRINGOPS_POWERS(16), STRINGOPS_POWERS(17), STRINGOPS_POWERS(18), STRINGOPS_POWERS(19),
      STRINGOPS_POWERS(20),    STRINGOPS_POWERS(21), STRINGOPS_POWERS(22), STRINGOPS_POWERS(23), STRINGOPS_POWERS(24),
      STRINGOPS_POWERS(25),    STRINGOPS_POWERS(26), STRINGOPS_POWERS(27), STRINGOPS_POWERS(28), STRINGOPS_POWERS(29),
      STRINGOPS_TEN_POWERS(30)};
#undef STRINGOPS_POWERS
#undef STRINGOPS_TEN_POWERS
  return kPowers[exponent];
}

// Returns the float64 of a number of JSON, as JsonText::number returns it; one that is too great is infinite.
inline double imprecise_number(std::string_view text) {
  const bool minus = !text.empty() && text[0] == '-';
  size_t at = minus ? 1 : 0;
  if (text.substr(at) == "Infinity") return minus ? -HUGE_VAL : HUGE_VAL;
  if (text.substr(at) == "NaN") return std::numeric_limits<double>::quiet_NaN();
  // Digits from the first on that does not fit 64 bits are dropped.
  uint64_t significand = 0;
  int64_t exponent = 0;
  bool is_full = false, is_fraction = false;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.') {
      is_fraction = true;
      continue;
    }
    uint64_t longer;
    is_full = is_full || __builtin_mul_overflow(significand, uint64_t{10}, &longer) ||
              __builtin_add_overflow(longer, static_cast<uint64_t>(text[at] - '0'), &longer);
    if (!is_full) significand = longer;
    exponent += (is_full ? 1 : 0) - (is_fraction ? 1 : 0);
  }
  if (at < text.size()) {
    const std::string_view digits = text.substr(at + 1);
    int64_t power = 0;
    for (const char c : digits) {
      if (c >= '0' && c <= '9') power = std::min<int64_t>(10 * power + (c - '0'), INT32_MAX);
    }
    exponent += digits[0] == '-' ? -power : power;
  }
  auto number = static_cast<double>(significand);
  for (; number != 0 && exponent < -kMaxPower; exponent += kMaxPower) number /= power_of_ten(kMaxPower);
  if (number != 0 && exponent > kMaxPower) number = HUGE_VAL;
  if (number != 0 && number < HUGE_VAL) {
    number = exponent >= 0 ? number * power_of_ten(exponent) : number / power_of_ten(-exponent);
  }
  return minus ? -number : number;
}

}  // namespace stringops::convert
