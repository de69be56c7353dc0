// Digits of dates and times, several at once.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/civil.h"

namespace stringops::kernels {

// Reads eight bytes that are digits where `kText` has '0', and otherwise as in `kText`. Byte k of the result is the
// number of the digits k and k + 1, if both are digits. Returns false for other text.
template <uint64_t kText, uint64_t kSeparators>
bool read_pairs(const uint8_t* p, uint64_t& pairs) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  word ^= kText;
  // The top bit of a byte is set by a digit above 9, or by a separator that differs.
  if (((((word & kOnes * 0x7F) + kOnes * 0x76 + kSeparators * 9) | word) & kOnes * 0x80) != 0) return false;
  pairs = word * 10 + (word >> 8);
  return true;
}

constexpr int32_t byte_of(uint64_t word, int index) {
  return static_cast<int32_t>(word >> 8 * index & 0xFF);
}

// Reads two digits.
inline bool read_two(const uint8_t* p, int32_t& number) {
  const auto tens = static_cast<uint8_t>(p[0] - '0'), ones = static_cast<uint8_t>(p[1] - '0');
  number = tens * 10 + ones;
  return tens < 10 && ones < 10;
}

// Reads "YYYY-MM-DD", of ten bytes. Whether the date exists is not checked.
inline bool read_date(const uint8_t* p, CivilDate& date) {
  uint64_t pairs;
  if (!read_pairs<0x2D30302D30303030, 0x0100000100000000>(p, pairs)) return false;
  date.year = byte_of(pairs, 0) * 100 + byte_of(pairs, 2);
  date.month = byte_of(pairs, 5);
  return read_two(p + 8, date.day);
}

struct ClockTime {
  int32_t hour = 0;
  int32_t minute = 0;
  int32_t second = 0;
};

// Reads "HH:MM:SS", of eight bytes. The limits of the numbers are not checked.
inline bool read_clock(const uint8_t* p, ClockTime& clock) {
  uint64_t pairs;
  if (!read_pairs<0x30303A30303A3030, 0x0000010000010000>(p, pairs)) return false;
  clock = {byte_of(pairs, 0), byte_of(pairs, 3), byte_of(pairs, 6)};
  return true;
}

}  // namespace stringops::kernels
