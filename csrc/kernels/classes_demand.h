// What the classes of kernels/classes.h demand of the characters of a string, as sets and tables.
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "core/char_class.h"
#include "core/codepoint.h"
#include "core/lazy.h"
#include "core/unicode_case.h"
#include "kernels/classes.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The demands of a class on the flags of characters: each has one of `all`, none has one of `none`, and one has `some`.
struct Demand {
  uint8_t all;
  uint8_t none;
  uint8_t some;
};

constexpr Demand demand_of(TextClass c) {
  switch (c) {
    case TextClass::kAlpha:
      return {kAlpha, 0, kAlpha};
    case TextClass::kAlnum:
      return {kAlnum, 0, kAlnum};
    case TextClass::kDigit:
      return {kDigit, 0, kDigit};
    case TextClass::kSpace:
      return {kSpace, 0, kSpace};
    case TextClass::kUpper:
      return {0, kLower | kTitle, kUpper};
    case TextClass::kLower:
      return {0, kUpper | kTitle, kLower};
    case TextClass::kAscii:
      break;
  }
  return {0, 0, 0};
}

constexpr bool fits(uint8_t flags, Demand demand) {
  return (demand.all == 0 || (flags & demand.all)) && !(flags & demand.none);
}

// Tables by the first two bytes of characters beyond ASCII: bit c & 63 of entry b stands for those that begin with the
// bytes b and c. All characters of four bytes may be in a class.
struct FirstBytes {
  std::array<uint64_t, 256> some_fit{};  // some of these characters are in the class
  std::array<uint64_t, 256> all_fit{};   // all are
};

template <TextClass kClass>
const FirstBytes& first_bytes() {
  return lazy([] {
    FirstBytes made;
    constexpr Demand demand = demand_of(kClass);
    if (kClass == TextClass::kAscii) return made;
    for (uint32_t c = 0x80; c < 0x10000; c += kWordBits) {
      if (is_surrogate(c)) continue;
      uint8_t bytes[kMaxCodepointBytes];
      const bool is_of_two = write_codepoint(c, bytes) - bytes == 2;
      uint64_t in_class = 0;
      for (uint32_t i = 0; i < kWordBits; ++i) in_class |= uint64_t{fits(kFlags[c + i], demand)} << i;
      const uint64_t second = uint64_t{1} << (bytes[1] & 0x3F);
      made.some_fit[bytes[0]] |= is_of_two ? in_class : in_class != 0 ? second : 0;
      made.all_fit[bytes[0]] |= is_of_two ? in_class : ~in_class == 0 ? second : 0;
    }
    for (size_t lead = 0xF0; lead <= 0xF4; ++lead) made.some_fit[lead] = ~uint64_t{0};
    return made;
  });
}

// Lead bytes of valid UTF-8 by the characters that they begin: all are outside of the class, or only some.
struct Leads {
  simd::LeadSet none_fits;
  simd::LeadSet some_fit;
};

template <TextClass kClass>
const Leads& leads() {
  return lazy([] {
    Leads made;
    const FirstBytes& first = first_bytes<kClass>();
    for (size_t lead = 0xC2; lead <= 0xF4; ++lead) {
      // E0 is followed by A0 to BF, ED by 80 to 9F.
      const uint64_t seconds = lead == 0xE0 ? ~low_bits(32) : lead == 0xED ? low_bits(32) : ~uint64_t{0};
      const bool all_fit = lead < 0xF0 && (first.all_fit[lead] & seconds) == seconds;
      if (!all_fit) (first.some_fit[lead] == 0 ? made.none_fits : made.some_fit).add(static_cast<uint8_t>(lead));
    }
    return made;
  });
}

// Characters of ASCII that a string of the class may have, and those of which it has at least one.
struct AsciiDemand {
  CharSet all, some;
  CharSet others;     // those not in `all`
  CharSet could_be;   // those in `some`, and all beyond ASCII: strings without any are not of the class
  CharSet plain;      // those not in `some`
  CharSet beyond;     // none: only characters beyond ASCII
  uint8_t neutral{};  // one that, at the end of a string that is not empty, changes nothing
};

template <TextClass kClass>
const AsciiDemand& ascii_demand() {
  return lazy([] {
    AsciiDemand made;
    constexpr Demand demand = demand_of(kClass);
    for (uint8_t c = 0; c < 0x80; ++c) {
      const uint8_t flags = kFlags[c];
      (fits(flags, demand) ? made.all : made.others).add(c);
      if (flags & demand.some) made.some.add(c);
      if (fits(flags, demand) && (demand.all != 0 || !(flags & demand.some))) made.neutral = c;
    }
    made.beyond.beyond_ascii = true;
    made.could_be = made.some;
    made.could_be.beyond_ascii = true;
    made.plain = made.could_be;
    made.plain.invert();
    made.others.beyond_ascii = kClass == TextClass::kAscii;
    return made;
  });
}

}  // namespace stringops::kernels
