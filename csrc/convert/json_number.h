// Numbers of a tokenizer.json as `tokenizers` reads them.
//
// Its JSON library takes the digits of a number as one integer, converts this to a float64, and multiplies or divides
// by a power of ten. The result may differ from the nearest float64 in the last bit, and decides between two ways to
// cut a text whose scores are nearly equal.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "core/lazy.h"

namespace stringops::convert {

constexpr int64_t kMaxPower = 308;

// The float64 nearest to a power of ten.
inline double power_of_ten(int64_t exponent) {
  const auto& powers = lazy([] {
    std::array<double, kMaxPower + 1> made{};
    for (size_t i = 0; i < made.size(); ++i) made[i] = std::strtod(("1e" + std::to_string(i)).c_str(), nullptr);
    return made;
  });
  return powers[static_cast<size_t>(exponent)];
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
