// The value of a hexadecimal digit.
#pragma once

#include <cstdint>

namespace stringops {

constexpr uint8_t kNoDigit = 0x80;

// Returns the value of a hexadecimal digit in either case, or kNoDigit.
constexpr uint8_t hex_digit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return static_cast<uint8_t>(byte - '0');
  const auto lower = static_cast<uint8_t>(byte | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<uint8_t>(lower - 'a' + 10) : kNoDigit;
}

}  // namespace stringops
