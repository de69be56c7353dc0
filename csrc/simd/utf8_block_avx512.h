// The code points that begin in a block of 64 bytes, as masks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"

namespace stringops::simd {
namespace {

// Byte i is i / kDivisor.
template <int kDivisor>
struct ByteNumbers {
  alignas(64) uint8_t of[64] = {};

  constexpr ByteNumbers() {
    for (int i = 0; i < 64; ++i) of[i] = static_cast<uint8_t>(i / kDivisor);
  }
  static Vector load() {
    static constexpr ByteNumbers kNumbers;
    return V::load(kNumbers.of);
  }
};

// A block at the beginning of a code point. Masks have a bit for each of the `size` bytes of its whole code points.
struct Utf8Block {
  Vector bytes;
  int64_t size;
  uint64_t starts;
  uint64_t leads[3];  // the first bytes of code points of two, three and four bytes
  bool valid;         // all bytes are part of a code point; else the masks are meaningless

  // Reads the first of `left` bytes, with zeros after them.
  Utf8Block(Vector x, int64_t left) : bytes(x), size(std::min<int64_t>(left, 64)) {
    const auto at_least = [&](uint8_t byte) { return _mm512_cmpge_epu8_mask(x, V::splat(byte)); };
    const uint64_t beyond = V::signs(x), from_c0 = at_least(0xC0), from_e0 = at_least(0xE0), from_f0 = at_least(0xF0);
    const uint64_t any_start = ~beyond | from_c0, late = any_start & ~low_bits(61);
    if (left > 64 && late != 0) size = first_bit(late);  // leaves out a code point that may go on after the block
    const uint64_t inside = low_bits(size), two = from_c0 & inside, three = from_e0 & inside, four = from_f0 & inside;
    starts = any_start & inside;
    leads[0] = two & ~three;
    leads[1] = three & ~four;
    leads[2] = four;

    const uint64_t cut = two >> 63 | three >> 62 | four >> 61;  // code points that continue after 64 bytes
    const uint64_t continuations = two << 1 | three << 2 | four << 3;
    const uint64_t from_90 = at_least(0x90), from_a0 = at_least(0xA0);
    const uint64_t not_second = (V::equal(x, 0xE0) << 1 & ~from_a0) | (V::equal(x, 0xED) << 1 & from_a0) |
                                (V::equal(x, 0xF0) << 1 & ~from_90) | (V::equal(x, 0xF4) << 1 & from_90);
    const uint64_t not_first = (from_c0 & ~at_least(0xC2)) | at_least(0xF5);
    valid = ((continuations ^ (beyond & ~from_c0 & inside)) | cut | ((not_second | not_first) & inside)) == 0;
  }
};

}  // namespace
}  // namespace stringops::simd
