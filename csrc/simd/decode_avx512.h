// decode, 64 bytes at a time: the bytes of sixteen code points are moved to the lanes of a vector.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"
#include "simd/decode.h"

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

// The code points of a block at the beginning of one, as masks. These have a bit for each of the `size` bytes of its
// whole code points.
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

// Tables by the upper half of the first byte. The bytes of a code point have come together in 24 bits: those of the
// first byte, and six of each other one. The rows of continuations are not used.
struct LeadTables {
  alignas(64) uint32_t shift[16] = {18, 18, 18, 18, 18, 18, 18, 18, 0, 0, 0, 0, 12, 12, 6, 0};
  alignas(64) uint32_t bits[16] = {0x7F, 0x7F, 0x7F, 0x7F, 0x7F,  0x7F,  0x7F,   0x7F,
                                   0,    0,    0,    0,    0x7FF, 0x7FF, 0xFFFF, 0x1FFFFF};
};

// Returns the code points at sixteen positions, from number `first` on.
Vector decode_16(Vector bytes, Vector positions, int64_t first) {
  static constexpr LeadTables kTables;
  const auto splat = [&](uint32_t c) { return _mm512_set1_epi32(static_cast<int>(c)); };
  // Each lane gets its position four times, and adds the distances of the four bytes, the first one on top.
  const Vector lanes = _mm512_add_epi8(ByteNumbers<4>::load(), V::splat(static_cast<uint8_t>(first)));
  const Vector at = _mm512_add_epi8(_mm512_permutexvar_epi8(lanes, positions), splat(0x00010203));
  const Vector x = _mm512_permutexvar_epi8(at, bytes), kind = _mm512_srli_epi32(x, 28);
  const Vector together = (_mm512_srli_epi32(x, 6) & splat(0x1FC0000)) | (_mm512_srli_epi32(x, 4) & splat(0x3F000)) |
                          (_mm512_srli_epi32(x, 2) & splat(0xFC0)) | (x & splat(0x3F));
  return _mm512_srlv_epi32(together, _mm512_permutexvar_epi32(kind, V::load(kTables.shift))) &
         _mm512_permutexvar_epi32(kind, V::load(kTables.bits));
}

int64_t decode_blocks(const uint8_t* text, int64_t size, uint32_t* out) {
  int64_t count = 0;
  for (int64_t i = 0; i < size;) {
    const int64_t left = size - i;
    const Vector x = V::load(text, i, size);
    if (V::signs(x) == 0) {
      const int64_t n = std::min<int64_t>(left, 64);
      Vector bytes = x;
      for (int64_t k = 0; k < n; k += 16) {
        V::store(out + count + k, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes)));
        bytes = _mm512_alignr_epi64(bytes, bytes, 2);
      }
      count += n;
      i += n;
      continue;
    }
    const Utf8Block block(x, left);
    if (block.valid) {
      const Vector positions = _mm512_maskz_compress_epi8(block.starts, ByteNumbers<1>::load());
      const int64_t n = popcount(block.starts);
      for (int64_t k = 0; k < n; k += 16) V::store(out + count + k, decode_16(x, positions, k));
      count += n;
      i += block.size;
      continue;
    }
    for (const int64_t end = i + std::min<int64_t>(left, 64); i < end; ++count) {
      i += decode_one(text + i, text + size, out + count);
    }
  }
  return count;
}

}  // namespace
}  // namespace stringops::simd
