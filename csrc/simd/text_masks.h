// Classes of 64 bytes of text as masks, one bit per byte: what pre-tokenizers of subwords need of ASCII.
#pragma once

#include <cstdint>

namespace stringops::simd {

struct AsciiMasks {
  uint64_t letters;
  uint64_t numbers;
  uint64_t spaces;  // \s
  uint64_t newlines;
  uint64_t blanks;  // U+0020
  uint64_t apostrophes;
  uint64_t beyond;  // bytes that are not ASCII
};

// Of the current tier.
AsciiMasks find_ascii_masks(const uint8_t* text);

}  // namespace stringops::simd
