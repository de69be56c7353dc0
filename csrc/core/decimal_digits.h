// Integers as decimal digits, eight at once in a word (SWAR).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace stringops {

constexpr auto kTenTo = [] {
  std::array<uint64_t, 17> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();
constexpr uint64_t kTenTo8 = kTenTo[8];
constexpr uint64_t kTenTo16 = kTenTo[16];
constexpr uint64_t kZeroChars = 0x3030303030303030;

// Returns the eight digits of a number below 10**8, one in each byte, the first one in the lowest byte.
constexpr uint64_t eight_digits_of(uint64_t number) {
  // The number is divided into halves of four, two and one digit; the quotients are exact for so few digits. The half
  // that is the rest moves up: (number - quotient * divisor) << bits | quotient.
  const uint64_t fours = (number << 32) - number / 10000 * ((uint64_t{10000} << 32) - 1);
  const uint64_t hundreds = fours * 10486 >> 20 & 0x0000007F0000007F;
  const uint64_t twos = (fours << 16) - hundreds * ((100 << 16) - 1);
  const uint64_t tens = twos * 103 >> 10 & 0x000F000F000F000F;
  return (twos << 8) - tens * ((10 << 8) - 1);
}

// Returns the number of eight digits, one in each byte, the first one in the lowest byte.
constexpr uint64_t number_of_eight(uint64_t word) {
  word = word * 10 + (word >> 8);  // numbers of two digits, in every second byte
  constexpr uint64_t kMask = 0x000000FF000000FF;
  return ((word & kMask) * (100 + (uint64_t{1000000} << 32)) + (word >> 16 & kMask) * (1 + (uint64_t{10000} << 32))) >>
         32;
}

// Writes a number below 10**8; 8 bytes may be overwritten. Returns the end.
inline char* write_short_integer(uint64_t number, char* out) {
  const uint64_t digits = eight_digits_of(number);
  // Zeros before the first digit; a last zero is a digit.
  const int zeros = __builtin_ctzll(digits | uint64_t{1} << 56) / 8;
  const uint64_t chars = (digits | kZeroChars) >> 8 * zeros;
  std::memcpy(out, &chars, sizeof chars);
  return out + 8 - zeros;
}

// Writes eight digits, with leading zeros.
inline char* write_eight(uint64_t number, char* out) {
  const uint64_t chars = eight_digits_of(number) | kZeroChars;
  std::memcpy(out, &chars, sizeof chars);
  return out + 8;
}

// Writes a number; 24 bytes may be overwritten. Returns the end.
inline char* write_integer(uint64_t number, char* out) {
  if (number < kTenTo8) return write_short_integer(number, out);
  if (number < kTenTo16) return write_eight(number % kTenTo8, write_short_integer(number / kTenTo8, out));
  out = write_short_integer(number / kTenTo16, out);
  number %= kTenTo16;
  return write_eight(number % kTenTo8, write_eight(number / kTenTo8, out));
}

}  // namespace stringops
