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

// The characters of up to three bytes as bits: bit c & 63 of word c >> 6.
struct Bitmaps {
  std::array<uint64_t, 0x10000 / kWordBits> fit{};   // those that a string of the class may have
  std::array<uint64_t, 0x10000 / kWordBits> some{};  // those of which it has at least one
};

template <TextClass kClass>
const Bitmaps& bitmaps() {
  return lazy([] {
    Bitmaps made;
    constexpr Demand demand = demand_of(kClass);
    if (kClass == TextClass::kAscii) return made;
    for (uint32_t c = 0; c < 0x10000; ++c) {
      if (is_surrogate(c)) continue;
      const uint8_t flags = kFlags[c];
      made.fit[c / kWordBits] |= uint64_t{fits(flags, demand)} << c % kWordBits;
      made.some[c / kWordBits] |= uint64_t{(flags & demand.some) != 0} << c % kWordBits;
    }
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
    const auto& fit = bitmaps<kClass>().fit;
    for (size_t lead = 0xC2; lead <= 0xF4; ++lead) {
      // A lead of two bytes begins the characters of one word, one of three bytes those of 64 words, of which E0 has
      // the later half and ED the first one. All characters of four bytes may be in a class.
      const size_t first = lead < 0xE0 ? lead & 31 : lead == 0xE0 ? 32 : (lead & 15) * 64;
      const size_t last = lead < 0xE0 ? first : lead == 0xED ? first + 31 : (lead & 15) * 64 + 63;
      uint64_t any = 0, all = ~uint64_t{0};
      for (size_t w = first; w <= last; ++w) {
        any |= fit[w];
        all &= fit[w];
      }
      if (lead >= 0xF0 || ~all != 0) {
        (lead < 0xF0 && any == 0 ? made.none_fits : made.some_fit).add(static_cast<uint8_t>(lead));
      }
    }
    return made;
  });
}

// Tells for each byte whether no string of the class begins with it.
template <TextClass kClass>
const std::array<bool, 256>& excluded_starts() {
  return lazy([] {
    std::array<bool, 256> made;
    for (size_t byte = 0; byte < made.size(); ++byte) {
      const bool fits = bitmaps<kClass>().fit[byte / kWordBits] >> byte % kWordBits & 1;
      const bool is_lead = byte >= 0xC2 && byte <= 0xF4 && !leads<kClass>().none_fits.has(static_cast<uint8_t>(byte));
      made[byte] = kClass == TextClass::kAscii ? byte >= 0x80 : byte < 0x80 ? !fits : !is_lead;
    }
    return made;
  });
}

// Characters of ASCII that a string of the class may have, and those of which it has at least one.
struct AsciiDemand {
  CharSet all, some;
  CharSet others;    // those not in `all`
  CharSet plain;     // those not in `some`
  CharSet could_be;  // those in `some`, and all beyond ASCII: strings without any are not of the class
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
    }
    made.could_be = made.some;
    made.could_be.beyond_ascii = true;
    made.plain = made.could_be;
    made.plain.invert();
    made.others.beyond_ascii = kClass == TextClass::kAscii;
    return made;
  });
}

}  // namespace stringops::kernels
