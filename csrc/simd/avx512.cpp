// AVX-512 with VBMI2, BITALG and VPOPCNTDQ: a block of 64 bytes is one vector.
#ifdef __x86_64__
#include <immintrin.h>

#include <algorithm>

#include "core/bits.h"
#include "core/prefetch.h"
#include "core/testing.h"
// Outside of the target, since the linker may take these functions for those of every tier.
#include "simd/compare_strings.h"
#include "simd/hash_strings.h"
#include "simd/target.h"
#include "simd/tiers.h"

// GCC 12 warns of the undefined pass-through operand of its own intrinsics.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
BEGIN_TARGET(
    "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,avx512dq,bmi,bmi2,popcnt,lzcnt")

#include "simd/has_affix.h"
#include "simd/mask_words.h"

namespace stringops::simd {
namespace {

#define MM(name) _mm512_##name
using Vector = __m512i;
using Half = __m256i;

}  // namespace
}  // namespace stringops::simd

#include "simd/same_on_x86.h"

namespace stringops::simd {
namespace {

constexpr size_t kVectors = 1;
struct Bytes64 {
  Vector vectors[kVectors];
};

struct V : SameOnX86 {
  static Vector load(const void* from) { return _mm512_loadu_si512(from); }
  static void store(void* to, Vector x) { _mm512_storeu_si512(to, x); }
  static Half load_half(const void* from) { return _mm256_loadu_si256(static_cast<const Half*>(from)); }
  static void store_half(void* to, Half x) { _mm256_storeu_si256(static_cast<Half*>(to), x); }

  // Loads 64 bytes at data + i, with zeros at n and beyond. Masked-off bytes are not touched, so the load cannot fault.
  static Vector load(const uint8_t* data, int64_t i, int64_t n) {
    if (i + 64 <= n) return load(data + i);
    return _mm512_maskz_loadu_epi8(low_bits(std::max<int64_t>(n - i, 0)), data + i);
  }
  static Bytes64 load_block(const uint8_t* from) { return {{load(from)}}; }
  static Bytes64 load_block(const uint8_t* data, int64_t i, int64_t n) { return {{load(data, i, n)}}; }
  static Bytes64 load_in_order(const uint8_t* data, int64_t i, int64_t n) { return load_block(data, i, n); }
  static Vector broadcast(const uint8_t* from) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  // Broadcasts a number to each 64-bit lane.
  static Vector wide(uint64_t x) { return _mm512_set1_epi64(static_cast<int64_t>(x)); }
  static Vector pair(uint64_t x, uint64_t y) {
    return _mm512_broadcast_i64x2(_mm_set_epi64x(static_cast<int64_t>(y), static_cast<int64_t>(x)));
  }
  static uint64_t signs(Vector x) { return _mm512_movepi8_mask(x); }
  static uint64_t equal(Vector x, uint8_t byte) { return _mm512_cmpeq_epi8_mask(x, splat(byte)); }
  static uint64_t not_equal_0(Vector x) { return _mm512_test_epi8_mask(x, x); }

  // Continuations, 80..BF, are the signed bytes below C0.
  static uint64_t from_c0(Vector x) { return _mm512_cmpge_epi8_mask(x, splat(0xC0)); }
  static uint64_t within(Vector x, uint8_t first, uint8_t count) {
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(x, splat(first)), splat(count));
  }
  static Vector letters(Vector x) {
    const Vector bit = splat(0x20);
    return _mm512_maskz_mov_epi8(within(x | bit, 'a', 26), bit);
  }
  template <class F>
  static uint64_t mask_of(const Bytes64& x, const F& f) {
    return f(x.vectors[0]);
  }

  static bool any(Vector x) { return not_equal_0(x) != 0; }
  static bool any_signs(Vector x) { return signs(x) != 0; }
  template <int n>
  static Vector before(Vector x, Vector previous) {
    return _mm512_alignr_epi8(x, _mm512_alignr_epi64(x, previous, 6), 16 - n);
  }

  static Vector load_lanes_or(const int32_t* from, int64_t n, Vector others) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_mask_loadu_epi32(others, _mm512_cmplt_epi32_mask(lanes, _mm512_set1_epi32(static_cast<int>(n))),
                                   from);
  }
  static Vector permute_lanes(Vector x, Vector from) { return _mm512_permutexvar_epi32(from, x); }
  static Vector equal_numbers(Vector x, Vector y) { return _mm512_movm_epi32(_mm512_cmpeq_epi32_mask(x, y)); }
  static Half load_32(const uint8_t* from) { return load_half(from); }
  static void compare_32_bytes(const uint8_t* x, Half q, uint32_t* less, uint32_t* greater) {
    const Half p = load_half(x);
    *less = _mm256_cmplt_epu8_mask(p, q);
    *greater = _mm256_cmpgt_epu8_mask(p, q);
  }
  static void store_lanes(int32_t* to, int64_t n, Vector x) {
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(low_bits(std::min<int64_t>(n, 16))), x);
  }
  static void store_lanes_64(int64_t* to, int64_t n, Vector x) {
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(low_bits(std::min<int64_t>(n, 8))), x);
  }

  // Loads the 16 bytes at each of eight addresses, as their first and their last eight, by plain loads: a gather takes
  // twice as long.
  template <class At>
  static void load_pairs(const At& at, __m512i* first, __m512i* last) {
    const auto four = [&](int64_t j) {
      const auto two = [&](int64_t k) { return _mm256_loadu2_m128i(at(k + 1), at(k)); };
      return _mm512_inserti64x4(_mm512_castsi256_si512(two(j)), two(j + 2), 1);
    };
    const __m512i a = four(0), b = four(4);
    *first = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
    *last = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
  }
  static Half narrow(Vector x) { return _mm512_cvtepi64_epi32(x); }
  static Vector load_bytes(const uint8_t* from) {
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  }

  // Returns the upper halves of 64-bit lanes, sign-extended.
  static Vector high_halves(Vector x) { return _mm512_srai_epi64(x, 32); }
  static bool same(Vector x, Vector y) { return _mm512_cmpneq_epi32_mask(x, y) == 0; }

  using Lanes = __mmask8;
  static Lanes greater(Vector x, Vector y) { return _mm512_cmpgt_epu64_mask(x, y); }
  static Lanes equal(Vector x, Vector y) { return _mm512_cmpeq_epi64_mask(x, y); }
  static Lanes equal(Half x, Half y) { return _mm256_cmpeq_epi32_mask(x, y); }
  static uint64_t bits(Lanes a) { return a; }
  static Vector select(Lanes a, Vector x, Vector y) { return _mm512_mask_blend_epi64(a, y, x); }
  static Lanes both(Lanes a, Lanes b) { return static_cast<Lanes>(a & b); }
};

}  // namespace
}  // namespace stringops::simd

#include "simd/block_loops.h"
#include "simd/compare_loops.h"
#include "simd/decode_avx512.h"
#include "simd/equal_strings_avx512.h"
#include "simd/hash_strings_avx512.h"
#include "simd/key_loops.h"
#include "simd/lane_loops.h"

namespace stringops::simd {
namespace {

// Finds whitespace characters of two and three bytes by the table of core/whitespace.h, 64 positions at once: x holds
// the bytes, y the next ones, z those after them. Bits of the next word that belong to a character of this one go to
// `carry`.
inline uint64_t unicode_whitespace(__m512i x, const uint8_t* data, int64_t i, int64_t n, uint64_t* carry) {
  const uint64_t c2 = V::equal(x, 0xC2), e2 = V::equal(x, 0xE2), e1 = V::equal(x, 0xE1), e3 = V::equal(x, 0xE3);
  uint64_t word = *carry;
  *carry = 0;
  if ((c2 | e1 | e2 | e3) == 0) return word;
  const __m512i y = V::load(data, i + 1, n), z = V::load(data, i + 2, n);
  const uint64_t two = c2 & (V::equal(y, 0x85) | V::equal(y, 0xA0));
  const uint64_t y80 = V::equal(y, 0x80), z80 = V::equal(z, 0x80);
  const uint64_t general = V::within(z, 0x80, 11) | V::within(z, 0xA8, 2) | V::equal(z, 0xAF);
  const uint64_t three = (e2 & y80 & general) | (e2 & V::equal(y, 0x81) & V::equal(z, 0x9F)) |
                         (e1 & V::equal(y, 0x9A) & z80) | (e3 & y80 & z80);
  *carry = (two >> 63) | (three >> 63) | (three >> 63 << 1) | (three >> 62 & 1);
  return word | two | two << 1 | three | three << 1 | three << 2;
}

// Entry i is i if i is whitespace, else a value that no byte with the low six bits i has.
struct WhitespaceTable {
  alignas(64) uint8_t bytes[64];
};

constexpr WhitespaceTable kWhitespace = [] {
  WhitespaceTable table{};
  for (int i = 0; i < 64; ++i) {
    const bool whitespace = (i >= 0x09 && i <= 0x0D) || (i >= 0x1C && i <= 0x20);
    table.bytes[i] = static_cast<uint8_t>(whitespace ? i : ~i);
  }
  return table;
}();

// A lookup by the low six bits returns the byte itself exactly if it is ASCII whitespace.
inline uint64_t ascii_whitespace(__m512i x) {
  return _mm512_cmpeq_epi8_mask(_mm512_permutexvar_epi8(x, _mm512_load_si512(kWhitespace.bytes)), x);
}

inline uint64_t ascii_whitespace(const Bytes64& x) {
  return ascii_whitespace(x.vectors[0]);
}

bool find_whitespace(const uint8_t* data, int64_t n, uint64_t* words) {
  constexpr int64_t kStep = 4 * 64;
  uint64_t carry = 0, high = 0;
  for (int64_t i = 0; i < n; i += kStep) {
    // One test covers four blocks that may have bytes beyond ASCII.
    if (i + kStep <= n && carry == 0) {
      const __m512i a = V::load(data, i, n), b = V::load(data, i + 64, n), c = V::load(data, i + 128, n),
                    d = V::load(data, i + 192, n);
      if (_mm512_movepi8_mask(_mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d))) == 0) {
        words[i / 64] = ascii_whitespace(a);
        words[i / 64 + 1] = ascii_whitespace(b);
        words[i / 64 + 2] = ascii_whitespace(c);
        words[i / 64 + 3] = ascii_whitespace(d);
        continue;
      }
    }
    for (int64_t j = i; j < std::min(i + kStep, n); j += 64) {
      const __m512i x = V::load(data, j, n);
      uint64_t word = ascii_whitespace(x);
      const uint64_t high_here = _mm512_movepi8_mask(x);
      if (high_here | carry) word |= unicode_whitespace(x, data, j, n, &carry);
      words[j / 64] = word & low_bits(n - j);
      high |= high_here;
    }
  }
  return high == 0;
}

// Lane i of rank(keep) is the number of kept bytes among 0..i. In groups of eight: each lane gets its group's byte of
// `keep`, masked to the bits at or below its own, and counts them; a multiplication, whose byte g is the sum of the
// counts of groups 0..g-1, adds the groups before.
//
//   keep       1 1 0 1 | 0 1 1 ...
//   rank       1 2 2 3 | 3 4 5 ...
inline __m512i rank(uint64_t keep) {
  const __m512i group = _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                                         0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
  // Bits 0..i % 8 of a byte.
  const __m512i at_or_below = _mm512_set1_epi64(static_cast<int64_t>(0xFF7F3F1F0F070301));
  const __m512i in_group = _mm512_popcnt_epi8(
      _mm512_and_si512(_mm512_shuffle_epi8(_mm512_set1_epi64(static_cast<int64_t>(keep)), group), at_or_below));
  const auto counts =
      static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_popcnt_epi8(_mm_cvtsi64_si128(static_cast<int64_t>(keep)))));
  const uint64_t before = counts * 0x0101010101010100;
  return _mm512_add_epi8(in_group, _mm512_shuffle_epi8(_mm512_set1_epi64(static_cast<int64_t>(before)), group));
}

inline __m512i one_to_64() {
  return _mm512_set_epi8(64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
                         40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
                         16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
}

// Returns the number of kept bytes up to each end. If all ends are kept bytes, as those of words are, closing the gaps
// between kept bytes moves each end to the position before its value, which takes half the time of a rank.
//
//   keep       1 1 1 0 1 1 0 ...
//   ends       0 0 1 0 0 1 0
//   closed     0 0 1   0 1       -> 3, 5
inline __m512i pack_ends(uint64_t keep, uint64_t ends) {
  if (ends & ~keep) return _mm512_maskz_compress_epi8(ends, rank(keep));
  return _mm512_maskz_compress_epi8(_pext_u64(ends, keep), one_to_64());
}

PieceCounts write_pieces(const PieceBlock& b) {
  uint8_t* out = b.out;
  int32_t* out_ends = b.out_ends;
  __m512i base = _mm512_set1_epi32(b.base);
  bool complete = true;
  for (int64_t i = 0; i < b.n; i += 64) {
    const uint64_t keep = b.keep[i / 64];
    const __m512i kept = _mm512_maskz_compress_epi8(keep, V::load(b.data, i, b.n));
    int64_t num_kept = popcount(keep);
    if (b.out_limit - out >= 64) {
      _mm512_storeu_si512(out, kept);
    } else if (keep != 0) {  // a store of no byte at an address without memory, that of an empty result, takes long
      complete &= num_kept <= b.out_limit - out;
      num_kept = std::min<int64_t>(num_kept, b.out_limit - out);
      _mm512_mask_storeu_epi8(out, low_bits(num_kept), kept);
    }
    if (const uint64_t ends = b.ends[i / 64]) {
      // Ends are ranks of 1..64, packed to the front, then widened 16 at a time.
      __m512i packed = pack_ends(keep, ends);
      const int64_t wanted = popcount(ends);
      int64_t num_ends = std::min<int64_t>(wanted, b.out_ends_limit - out_ends);
      complete &= num_ends == wanted;
      const auto next_16 = [&] {
        const __m512i wide = _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed)), base);
        packed = _mm512_alignr_epi64(packed, packed, 2);
        return wide;
      };
      if (num_ends > 16 && b.out_ends_limit - out_ends >= 64) {
        // For characters the number of steps, two to four, is unpredictable, so it is always four.
        for (int64_t j = 0; j < 64; j += 16) _mm512_storeu_si512(out_ends + j, next_16());
        out_ends += num_ends;
        num_ends = 0;
      }
      while (num_ends > 0) {
        const int64_t step = std::min<int64_t>(num_ends, 16);
        if (b.out_ends_limit - out_ends >= 16) {
          _mm512_storeu_si512(out_ends, next_16());
        } else {
          _mm512_mask_storeu_epi32(out_ends, static_cast<__mmask16>(low_bits(step)), next_16());
        }
        out_ends += step;
        num_ends -= step;
      }
    }
    out += num_kept;
    base = _mm512_add_epi32(base, _mm512_set1_epi32(static_cast<int>(num_kept)));
  }
  return {out - b.out, out_ends - b.out_ends, complete};
}

inline void compress_block(const uint8_t* data, uint64_t keep, uint8_t* out) {
  V::store(out, _mm512_maskz_compress_epi8(keep, V::load(data)));
}

int64_t select_ranges(const int32_t* offsets, const uint64_t* words, int64_t n, int32_t* begins, int32_t* ends) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i += 16) {
    // Masked-off offsets, which may not exist, are not touched.
    const auto kept = static_cast<__mmask16>(words[i / kWordBits] >> (i % kWordBits));
    const auto take = [&](const int32_t* from, int32_t* to) {
      V::store(to + count, _mm512_maskz_compress_epi32(kept, _mm512_maskz_loadu_epi32(kept, from)));
    };
    take(offsets + i, begins);
    take(offsets + i + 1, ends);
    count += popcount(kept);
  }
  return count;
}

}  // namespace
}  // namespace stringops::simd

#include "simd/limited_cuts.h"

namespace stringops::simd {

void avx512_tier(Primitives& t) {
  t.tier = "avx512";
  use_mask_words(t);
  use_block_loops(t);
  use_lane_loops(t);
  use_key_loops(t);
  t.select_ranges = select_ranges;
  t.find_whitespace = find_whitespace;
  t.decode = decode_blocks;
  t.write_pieces = write_pieces;
  t.cut_limited = cut_limited;
  t.equal_strings = equal_strings;
  t.has_affix = has_affix;
  t.compare_strings = compare_strings;
  t.hash_xxh3 = hash_xxh3;
}

}  // namespace stringops::simd

END_TARGET

#endif  // __x86_64__
