// Tables that validate UTF-8 by pairs of adjacent bytes, for tiers with byte shuffles.
//
// A pair can be invalid in a few ways, one bit each. The first byte's high half, its low half and the second byte's
// high half each allow some of them, by a table each; a pair is invalid in the ways that all three allow. Only
// kTwoConts is not an error in itself: it must occur exactly where a lead byte two or three bytes before requires
// another continuation.
//
//   bytes       41  E6  97  A5  41
//   pair         .   .   .  80   .     kTwoConts: 97, then A5
//   further      .   .   .  80   .     the lead of three bytes, two bytes before
//
// John Keiser, Daniel Lemire: Validating UTF-8 In Less Than One Instruction Per Byte, 2021.
#pragma once

#include <cstdint>

namespace stringops::simd {

class Utf8Pairs {
 public:
  constexpr Utf8Pairs() {
    add(kTooShort, 0xC0, 0xFF, 0x00, 0x7F);
    add(kTooShort, 0xC0, 0xFF, 0xC0, 0xFF);
    add(kTooLong, 0x00, 0x7F, 0x80, 0xBF);
    add(kTwoConts, 0x80, 0xBF, 0x80, 0xBF);
    add(kOverlong2, 0xC0, 0xC1, 0x80, 0xBF);
    add(kOverlong3, 0xE0, 0xE0, 0x80, 0x9F);
    add(kSurrogate, 0xED, 0xED, 0xA0, 0xBF);
    add(kOutside4, 0xF0, 0xF0, 0x80, 0x8F);  // overlong
    add(kOutside4, 0xF5, 0xFF, 0x80, 0x8F);  // above U+10FFFF, like the next pairs
    add(kTooLarge, 0xF4, 0xFF, 0x90, 0xBF);
  }

  alignas(16) uint8_t first_high[16] = {}, first_low[16] = {}, second_high[16] = {};

 private:
  enum Way : uint8_t {
    kTooShort = 1,
    kTooLong = 2,
    kOverlong2 = 4,
    kOverlong3 = 8,
    kSurrogate = 16,
    kOutside4 = 32,
    kTooLarge = 64,
    kTwoConts = 128,  // the bit that the tiers compare with `further`
  };

  // Adds pairs of first bytes [first, first_to] and second bytes [second, second_to]. The pairs of one bit must be all
  // pairs of some first bytes with some second bytes; the first bytes must be all pairs of some high halves with some
  // low halves.
  constexpr void add(Way way, int first, int first_to, int second, int second_to) {
    for (; first <= first_to; ++first) {
      first_high[first >> 4] |= way;
      first_low[first & 15] |= way;
    }
    for (; second <= second_to; ++second) second_high[second >> 4] |= way;
  }
};

constexpr Utf8Pairs kUtf8Pairs;

}  // namespace stringops::simd
