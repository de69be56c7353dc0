// The reference implementation of find_ascii_masks.
#include "simd/tiers.h"

namespace stringops::simd {
namespace {

enum Bit { kLetter, kNumber, kSpace, kNewline, kBlank, kApostrophe, kControl, kBeyond, kNumBits };

struct ByteClasses {
  uint8_t of[256] = {};

  constexpr ByteClasses() {
    for (int c = 0; c < 256; ++c) {
      const int lower = c | 0x20;
      const bool flags[kNumBits] = {lower >= 'a' && lower <= 'z' && c < 0x80,
                                    c >= '0' && c <= '9',
                                    c == ' ' || (c >= 9 && c <= 13),
                                    c == '\n' || c == '\r',
                                    c == ' ',
                                    c == '\'',
                                    (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7F,
                                    c >= 0x80};
      for (int bit = 0; bit < kNumBits; ++bit) of[c] = static_cast<uint8_t>(of[c] | flags[bit] << bit);
    }
  }
};
constexpr ByteClasses kByteClasses;

AsciiMasks find_ascii_masks(const uint8_t* text) {
  uint64_t masks[kNumBits] = {};
  for (int at = 0; at < 64; at += 8) {
    uint64_t flags = 0;
    for (int i = 0; i < 8; ++i) flags |= uint64_t{kByteClasses.of[text[at + i]]} << (8 * i);
    for (int bit = 0; bit < kNumBits; ++bit) {
      // The product moves bit `bit` of each byte to the upper byte.
      const uint64_t byte = ((flags >> bit) & 0x0101010101010101) * 0x0102040810204080 >> 56;
      masks[bit] |= byte << at;
    }
  }
  return {masks[kLetter], masks[kNumber],     masks[kSpace],   masks[kNewline],
          masks[kBlank],  masks[kApostrophe], masks[kControl], masks[kBeyond]};
}

}  // namespace

void scalar_text(Primitives& t) {
  t.find_ascii_masks = find_ascii_masks;
}

}  // namespace stringops::simd
