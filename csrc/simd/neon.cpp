// NEON, which every processor of this kind has: a block of 64 bytes is four vectors.
#ifdef __aarch64__
#include <arm_neon.h>

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "simd/compress_table.h"
#include "simd/equal_strings.h"
#include "simd/tiers.h"

namespace stringops::simd {
namespace {

using Vector = uint8x16_t;

// Lane i of vector k is byte 4 i + k, so that the comparisons of the four vectors become one word in six steps.
constexpr size_t kVectors = 4;
struct Bytes64 {
  Vector vectors[kVectors];
};

struct V {
  static Vector load(const void* from) { return vld1q_u8(static_cast<const uint8_t*>(from)); }
  static void store(void* to, Vector x) { vst1q_u8(static_cast<uint8_t*>(to), x); }

  static Bytes64 load_block(const uint8_t* from) {
    const uint8x16x4_t x = vld4q_u8(from);
    return {{x.val[0], x.val[1], x.val[2], x.val[3]}};
  }
  // Loads 64 bytes at data + i, with zeros at n and beyond: the last block is copied, because there is no masked load.
  static Bytes64 load_block(const uint8_t* data, int64_t i, int64_t n) {
    if (i + 64 <= n) return load_block(data + i);
    uint8_t copy[64];
    copy_last(data, i, n, copy);
    return load_block(copy);
  }
  static Bytes64 load_in_order(const uint8_t* data, int64_t i, int64_t n) {
    uint8_t copy[64];
    const uint8_t* from = data + i;
    if (i + 64 > n) {
      copy_last(data, i, n, copy);
      from = copy;
    }
    return {{load(from), load(from + 16), load(from + 32), load(from + 48)}};
  }

  static Vector splat(uint8_t byte) { return vdupq_n_u8(byte); }
  static Vector broadcast(const uint8_t* from) { return load(from); }

  // Masks are all ones in the lanes that they contain; only the highest bit of each counts.
  static Vector equal(Vector x, uint8_t byte) { return vceqq_u8(x, splat(byte)); }
  static Vector not_equal_0(Vector x) { return vtstq_u8(x, x); }
  static Vector signs(Vector x) { return x; }
  // Continuations, 80..BF, are the signed bytes below C0.
  static Vector from_c0(Vector x) { return vcgeq_s8(vreinterpretq_s8_u8(x), vreinterpretq_s8_u8(splat(0xC0))); }

  // Returns the mask word of the masks f(vector). Shifts collect the highest bits of the vectors in the upper half of
  // each byte, bit 4 + k from vector k; then the halves of two bytes make one.
  template <class F>
  static uint64_t mask_of(const Bytes64& x, const F& f) {
    const Vector low = vsriq_n_u8(f(x.vectors[1]), f(x.vectors[0]), 1);
    const Vector high = vsriq_n_u8(f(x.vectors[3]), f(x.vectors[2]), 1);
    const Vector four = vsriq_n_u8(high, low, 2);
    const uint8x8_t bits = vshrn_n_u16(vreinterpretq_u16_u8(vsriq_n_u8(four, four, 4)), 4);
    return vget_lane_u64(vreinterpret_u64_u8(bits), 0);
  }

  static bool any(Vector x) { return vmaxvq_u8(x) != 0; }
  static bool any_signs(Vector x) { return vmaxvq_u8(x) >= 0x80; }
  static Vector high_half(Vector x) { return vshrq_n_u8(x, 4); }
  // A lookup returns 0 from 16 on.
  static Vector lookup(Vector rows, Vector x) { return vqtbl1q_u8(rows, x & splat(0x8F)); }
  static Vector lookup_half(Vector rows, Vector x) { return vqtbl1q_u8(rows, x); }
  static Vector subtract_to_0(Vector x, Vector y) { return vqsubq_u8(x, y); }
  template <int n>
  static Vector before(Vector x, Vector previous) {
    return vextq_u8(previous, x, 16 - n);
  }
  static Vector within(Vector x, uint8_t first, uint8_t count) { return vcltq_u8(x - splat(first), splat(count)); }
  static Vector letters(Vector x) {
    const Vector bit = splat(0x20);
    return within(x | bit, 'a', 26) & bit;
  }

  static constexpr int kCounts = 4;
  template <class Word>
  static void count(const Word& word, int32_t base, int32_t* out) {
    const auto of_two = [](uint64_t x, uint64_t y) { return vcntq_u8(vcombine_u8(vcreate_u8(x), vcreate_u8(y))); };
    const uint64_t a = word(0), b = word(1), c = word(2), d = word(3);
    const Vector pairs = vpaddq_u8(of_two(a, b), of_two(c, d));
    const int32x4_t sums = vreinterpretq_s32_u32(vpaddlq_u16(vpaddlq_u8(pairs)));
    vst1q_s32(out, vaddq_s32(sums, vdupq_n_s32(base)));
  }
  static uint64_t nth_bit(uint64_t word, int64_t n) {
    for (; n > 1; --n) word &= word - 1;
    return word & (0 - word);
  }

 private:
  static void copy_last(const uint8_t* data, int64_t i, int64_t n, uint8_t* copy) {
    std::memset(copy, 0, 64);
    if (i < n) std::memcpy(copy, data + i, static_cast<size_t>(n - i));
  }
};

// Entry i is all ones if byte i + 1 is whitespace: U+0009-000D, 001C-0020.
constexpr struct WhitespaceTable {
  alignas(16) uint8_t rows[32] = {};

  constexpr WhitespaceTable() {
    for (int i = 0x09; i <= 0x0D; ++i) rows[i - 1] = 0xFF;
    for (int i = 0x1C; i <= 0x20; ++i) rows[i - 1] = 0xFF;
  }
} kWhitespace;

inline uint64_t ascii_whitespace(const Bytes64& x) {
  const uint8x16x2_t rows = {{V::load(kWhitespace.rows), V::load(kWhitespace.rows + 16)}};
  return V::mask_of(x, [&](const Vector& v) { return vqtbl2q_u8(rows, v - V::splat(1)); });
}

// Byte g is the number of set bits in bytes 0..g-1 of `word`: the sums come from one multiplication.
inline uint64_t counts_before(uint64_t word) {
  return vget_lane_u64(vreinterpret_u64_u8(vcnt_u8(vcreate_u8(word))), 0) * 0x0101010101010100;
}

// Writes the kept bytes of 64, eight at a time at positions computed beforehand, so that steps are independent. Stores
// at most 64 bytes.
inline void compress_block(const uint8_t* data, uint64_t keep, uint8_t* out) {
  const uint64_t before = counts_before(keep);
  for (int g = 0; g < 8; ++g) {
    const Vector bytes = vcombine_u8(vld1_u8(data + 8 * g), vdup_n_u8(0));
    const uint8x8_t positions = vld1_u8(kCompress.positions[keep >> (8 * g) & 0xFF]);
    vst1_u8(out + (before >> (8 * g) & 0xFF), vqtbl1_u8(bytes, positions));
  }
}

// Writes base + 1 + i for each bit i of `ends`, as compress_block does. Stores at most 64 numbers.
inline void write_positions(uint64_t ends, int32_t base, int32_t* out) {
  const uint64_t before = counts_before(ends);
  for (int g = 0; g < 8; ++g) {
    const int16x8_t positions = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(kCompress.positions[ends >> (8 * g) & 0xFF])));
    const int32x4_t first = vdupq_n_s32(base + 8 * g + 1);
    int32_t* const to = out + (before >> (8 * g) & 0xFF);
    vst1q_s32(to, vaddw_s16(first, vget_low_s16(positions)));
    vst1q_s32(to + 4, vaddw_high_s16(first, positions));
  }
}

// kFirst + 16 - n has all ones in the first n bytes of a vector.
alignas(32) constexpr uint8_t kFirst[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                            255, 255, 255, 255, 255, 255, 255, 255};

void equal_strings(const StringRun& a, const StringRun& b, int64_t count, bool* out) {
  equal_listed(a, b, count, out, [](const uint8_t* p, const uint8_t* q, int64_t n) {
    return !V::any((V::load(p) ^ V::load(q)) & V::load(kFirst + 16 - n));
  });
}

}  // namespace
}  // namespace stringops::simd

#include "simd/block_loops.h"
#include "simd/lane_distances.h"
#include "simd/lane_matches.h"
#include "simd/piece_loops.h"

#include "simd/limited_cuts.h"

namespace stringops::simd {
namespace {

// Instructions of the CPU count the bits of each byte and add neighbors, and select bits by a mask.
struct CountedLanes : PlainLanes<16> {
  template <class Lanes>
  [[gnu::always_inline]] static Lanes merge(Lanes mask, Lanes x, Lanes y) {
    const auto bytes = [](Lanes lanes) { return reinterpret_cast<Vector>(lanes); };
    return reinterpret_cast<Lanes>(vbslq_u8(bytes(mask), bytes(x), bytes(y)));
  }

  template <class Lane>
  [[gnu::always_inline]] static LanesOf<Lane, kBytes> count_bits(LanesOf<Lane, kBytes> x) {
    const Vector counts = vcntq_u8(reinterpret_cast<Vector>(x));
    if constexpr (sizeof(Lane) == 1) return counts;
    const uint16x8_t shorts = vpaddlq_u8(counts);
    if constexpr (sizeof(Lane) == 2) return shorts;
    const uint32x4_t words = vpaddlq_u16(shorts);
    if constexpr (sizeof(Lane) == 4) return words;
    if constexpr (sizeof(Lane) == 8) return vpaddlq_u32(words);
  }
};

}  // namespace

void neon_tier(Primitives& t) {
  t.tier = "neon";
  use_block_loops(t);
  t.find_whitespace = find_whitespace;
  t.write_pieces = write_pieces;
  t.cut_limited = cut_limited;
  t.equal_strings = equal_strings;
  t.lane_distances = lane_distances<CountedLanes>;
  t.lane_subsequences = lane_subsequences<CountedLanes>;
  t.lane_matches = lane_matches<CountedLanes>;
}

}  // namespace stringops::simd

#endif  // __aarch64__
