// Unicode whitespace at the ends of a string.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bits.h"
#include "core/whitespace.h"

namespace stringops {

// The first and last bytes of the characters of a set, so that most strings need no further test.
struct EndBytes {
  std::array<bool, 256> first{};
  std::array<bool, 256> last{};

  constexpr void add(uint8_t first_byte, uint8_t last_byte) {
    first[first_byte] = true;
    last[last_byte] = true;
  }
};

// Unicode whitespace (core/whitespace.h).
struct WhitespaceSet {
  EndBytes bytes = end_bytes();

  // Bytes of the first character of the string if it is in the set, else 0. The string is not empty.
  int64_t first(const uint8_t* begin, const uint8_t* end) const { return whitespace_length(begin, end); }
  // Skips spaces, of which an indentation consists, up to 15: without a branch on their unpredictable number.
  static const uint8_t* skip(const uint8_t* begin, const uint8_t* end) {
    constexpr uint64_t kSpaces = 0x2020202020202020;
    if (end - begin < 16) return begin;
    uint64_t low, high;
    std::memcpy(&low, begin, 8);
    std::memcpy(&high, begin + 8, 8);
    low ^= kSpaces;
    high = (high ^ kSpaces) | uint64_t{1} << 63;
    const uint64_t others = low != 0 ? low : high;
    return begin + (low != 0 ? 0 : 8) + first_bit(others) / 8;
  }
  // Returns the length of the last one.
  int64_t last(const uint8_t* begin, const uint8_t* end) const {
    if (end[-1] < 0x80) return 1;
    for (int64_t n = 2; n <= 3 && n <= end - begin; ++n) {
      if (whitespace_length(end - n, end) == n) return n;
    }
    return 0;
  }

 private:
  static EndBytes end_bytes() {
    EndBytes all;
    for (size_t byte = 0; byte < 0x80; ++byte) {
      all.first[byte] = all.last[byte] = is_ascii_whitespace(static_cast<uint8_t>(byte));
    }
    for (const size_t byte : {0xC2, 0xE1, 0xE2, 0xE3}) all.first[byte] = true;
    for (size_t byte = 0x80; byte <= 0x8A; ++byte) all.last[byte] = true;
    for (const size_t byte : {0x9F, 0xA0, 0xA8, 0xA9, 0xAF}) all.last[byte] = true;
    return all;
  }
};

}  // namespace stringops
