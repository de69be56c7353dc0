// AVX2 with BMI: a block of 64 bytes is two vectors.
#ifdef __x86_64__
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/read_decimal.h"
#include "core/testing.h"
#include "simd/compare_strings.h"
#include "simd/compress_table.h"
#include "simd/equal_strings.h"
#include "simd/target.h"
#include "simd/tiers.h"

BEGIN_TARGET("avx2,bmi,bmi2,popcnt,lzcnt")

#include "simd/has_affix.h"
#include "simd/lane_distances.h"
#include "simd/lane_matches.h"
#include "simd/mask_words.h"
#include "simd/slice_codepoints.h"

namespace stringops::simd {
namespace {

#define MM(name) _mm256_##name
using Vector = __m256i;
using Half = __m128i;

}  // namespace
}  // namespace stringops::simd

#include "simd/same_on_x86.h"

namespace stringops::simd {
namespace {

constexpr size_t kVectors = 2;
struct Bytes64 {
  Vector vectors[kVectors];
};

struct V : SameOnX86 {
  static Vector load(const void* from) { return _mm256_loadu_si256(static_cast<const Vector*>(from)); }
  static void store(void* to, Vector x) { _mm256_storeu_si256(static_cast<Vector*>(to), x); }
  static Half load_half(const void* from) { return _mm_loadu_si128(static_cast<const Half*>(from)); }
  static void store_half(void* to, Half x) { _mm_storeu_si128(static_cast<Half*>(to), x); }

  static Bytes64 load_block(const uint8_t* from) { return {{load(from), load(from + 32)}}; }
  // Loads 64 bytes at data + i, with zeros at n and beyond: the last block is copied, because AVX2 has no masked load
  // of bytes.
  static Bytes64 load_block(const uint8_t* data, int64_t i, int64_t n) {
    if (i + 64 <= n) return load_block(data + i);
    alignas(32) uint8_t copy[64] = {};
    if (i < n) std::memcpy(copy, data + i, static_cast<size_t>(n - i));
    return load_block(copy);
  }
  static Bytes64 load_in_order(const uint8_t* data, int64_t i, int64_t n) { return load_block(data, i, n); }
  static Vector broadcast(const uint8_t* from) { return _mm256_broadcastsi128_si256(load_half(from)); }
  // Broadcasts a number to each 64-bit lane.
  static Vector wide(uint64_t x) { return _mm256_set1_epi64x(static_cast<int64_t>(x)); }
  static Vector pair(uint64_t x, uint64_t y) {
    return _mm256_broadcastsi128_si256(_mm_set_epi64x(static_cast<int64_t>(y), static_cast<int64_t>(x)));
  }
  static uint64_t signs(Vector x) { return static_cast<uint32_t>(_mm256_movemask_epi8(x)); }
  static uint64_t equal(Vector x, uint8_t byte) { return signs(_mm256_cmpeq_epi8(x, splat(byte))); }
  static uint64_t not_equal_0(Vector x) {
    return static_cast<uint32_t>(~_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256())));
  }

  // Continuations, 80..BF, are the signed bytes below C0.
  static uint64_t from_c0(Vector x) {
    return static_cast<uint32_t>(~_mm256_movemask_epi8(_mm256_cmpgt_epi8(splat(0xC0), x)));
  }
  // A number is at most another one, unsigned, if their minimum is itself.
  static Vector in_range(Vector x, uint8_t first, uint8_t count) {
    const Vector index = _mm256_sub_epi8(x, splat(first));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(index, splat(static_cast<uint8_t>(count - 1))), index);
  }
  static uint64_t within(Vector x, uint8_t first, uint8_t count) { return signs(in_range(x, first, count)); }
  static Vector letters(Vector x) {
    const Vector bit = splat(0x20);
    return in_range(x | bit, 'a', 26) & bit;
  }
  // Returns the mask word of the masks f(vector).
  template <class F>
  static uint64_t mask_of(const Bytes64& x, const F& f) {
    return f(x.vectors[0]) | f(x.vectors[1]) << 32;
  }

  static bool any(Vector x) { return not_equal_0(x) != 0; }
  static bool any_signs(Vector x) { return signs(x) != 0; }
  template <int n>
  static Vector before(Vector x, Vector previous) {
    return _mm256_alignr_epi8(x, _mm256_permute2x128_si256(previous, x, 0x21), 16 - n);
  }

  // Returns all ones in the first n 32-bit lanes.
  static Vector first_lanes(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Vector load_lanes_or(const int32_t* from, int64_t n, Vector others) {
    const Vector lanes = first_lanes(n);
    return _mm256_blendv_epi8(others, _mm256_maskload_epi32(from, lanes), lanes);
  }
  static Vector permute_lanes(Vector x, Vector from) { return _mm256_permutevar8x32_epi32(x, from); }
  static Vector equal_numbers(Vector x, Vector y) { return _mm256_cmpeq_epi32(x, y); }
  static Vector load_32(const uint8_t* from) { return load(from); }
  static void compare_32_bytes(const uint8_t* x, Vector q, uint32_t* less, uint32_t* greater) {
    const Vector p = load(x), same = _mm256_cmpeq_epi8(p, q), least = _mm256_min_epu8(p, q);
    *greater = static_cast<uint32_t>(~signs(_mm256_cmpeq_epi8(least, p)));
    *less = ~*greater & static_cast<uint32_t>(~signs(same));
  }
  static void store_lanes(int32_t* to, int64_t n, Vector x) { _mm256_maskstore_epi32(to, first_lanes(n), x); }
  static void store_lanes_64(int64_t* to, int64_t n, Vector x) {
    const Vector lanes = _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), lanes, x);
  }

  // Loads the 16 bytes at each of four addresses, as their first and their last eight.
  template <class At>
  static void load_pairs(const At& at, __m256i* first, __m256i* last) {
    const __m256i a = _mm256_loadu2_m128i(at(2), at(0)), b = _mm256_loadu2_m128i(at(3), at(1));
    *first = _mm256_unpacklo_epi64(a, b);
    *last = _mm256_unpackhi_epi64(a, b);
  }
  static Half narrow(Vector x) {
    return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
  }
  static Vector load_bytes(const uint8_t* from) {
    int32_t bytes;
    std::memcpy(&bytes, from, sizeof(bytes));
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
  }

  // Returns the upper halves of 64-bit lanes, sign-extended.
  static Vector high_halves(Vector x) { return _mm256_cvtepi32_epi64(narrow(_mm256_srli_epi64(x, 32))); }
  static bool same(Vector x, Vector y) { return _mm256_movemask_epi8(_mm256_cmpeq_epi32(x, y)) == -1; }
  static uint64_t signs_64(Vector x) { return static_cast<uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(x))); }

  static constexpr int kCounts = 3;
  template <class Word>
  static void count(const Word& word, int32_t base, int32_t* out) {
    for (int k = 0; k < kCounts; ++k) out[k] = base + popcount(word(k));
  }

  using Lanes = Vector;  // all ones in the lanes of the set
  static Lanes greater(Vector x, Vector y) { return _mm256_cmpgt_epi64(x, y); }
  static Lanes equal(Vector x, Vector y) { return _mm256_cmpeq_epi64(x, y); }
  static Lanes equal(Half x, Half y) { return _mm256_cvtepi32_epi64(_mm_cmpeq_epi32(x, y)); }
  static uint64_t bits(Lanes a) { return signs_64(a); }
  static Vector select(Lanes a, Vector x, Vector y) { return _mm256_blendv_epi8(y, x, a); }
  static Lanes both(Lanes a, Lanes b) { return a & b; }
};

}  // namespace
}  // namespace stringops::simd

#include "simd/block_loops.h"
#include "simd/compare_loops.h"
#include "simd/distance_strip_avx2.h"
#include "simd/key_loops.h"
#include "simd/lane_loops.h"
#include "simd/read_decimals_avx2.h"

namespace stringops::simd {
namespace {

inline uint64_t ascii_whitespace(const Bytes64& x) {
  return V::mask_of(x, [](const Vector& v) { return V::signs(V::in_range(v, 0x09, 5) | V::in_range(v, 0x1C, 5)); });
}

// Byte g is the number of set bits in bytes 0..g-1 of `word`: the sums come from one multiplication.
inline uint64_t counts_before(uint64_t word) {
  uint64_t pairs = word - (word >> 1 & 0x5555555555555555);
  pairs = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333);
  return ((pairs + (pairs >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010100;
}

// Writes the kept bytes of 64, eight at a time at positions computed beforehand, so that steps are independent. Stores
// at most 64 bytes.
inline void compress_block(const uint8_t* data, uint64_t keep, uint8_t* out) {
  const uint64_t before = counts_before(keep);
  for (int g = 0; g < 8; ++g) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(data + 8 * g));
    const __m128i positions =
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kCompress.positions[keep >> (8 * g) & 0xFF]));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + (before >> (8 * g) & 0xFF)), _mm_shuffle_epi8(bytes, positions));
  }
}

// Writes base + 1 + i for each bit i of `ends`, as compress_block does. Stores at most 64 numbers.
inline void write_positions(uint64_t ends, int32_t base, int32_t* out) {
  const uint64_t before = counts_before(ends);
  for (int g = 0; g < 8; ++g) {
    const __m128i positions =
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kCompress.positions[ends >> (8 * g) & 0xFF]));
    const __m256i wide = _mm256_add_epi32(_mm256_cvtepu8_epi32(positions), _mm256_set1_epi32(base + 8 * g + 1));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + (before >> (8 * g) & 0xFF)), wide);
  }
}

void slice_codepoints(const uint64_t* codepoint_ends, const int32_t* ends, int64_t count, const CodepointSlice& slice,
                      ShortPiece* pieces) {
  if (!codepoint_ends) return slice_bytes(ends, count, slice, pieces);
  slice_strings(codepoint_ends, ends, count, slice, pieces, [](uint64_t word, uint64_t bit) -> int64_t {
    return static_cast<int64_t>(_tzcnt_u64(_pdep_u64(bit, word)));
  });
}

void equal_strings(const StringRun& a, const StringRun& b, int64_t count, bool* out) {
  equal_listed(a, b, count, out, [](const uint8_t* p, const uint8_t* q, int64_t n) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
    return (~static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y))) & low_bits(n)) == 0;
  });
}

}  // namespace
}  // namespace stringops::simd

#include "simd/piece_loops.h"

#include "simd/limited_cuts.h"

namespace stringops::simd {

void avx2_tier(Primitives& t) {
  t.tier = "avx2";
  use_mask_words(t);
  use_block_loops(t);
  use_lane_loops(t);
  use_key_loops(t);
  t.find_whitespace = find_whitespace;
  t.slice_codepoints = slice_codepoints;
  t.write_pieces = write_pieces;
  t.cut_limited = cut_limited;
  t.read_decimals = read_decimals;
  t.equal_strings = equal_strings;
  t.compare_strings = compare_strings;
  t.compares_in_vectors = true;
  t.has_affix = has_affix;
  t.lane_distances = lane_distances<PlainLanes<32>>;
  t.lane_subsequences = lane_subsequences<PlainLanes<32>>;
  t.lane_matches = lane_matches<PlainLanes<32>>;
  t.distance_strip = distance_strip_in_lanes;
}

}  // namespace stringops::simd

END_TARGET

#endif  // __x86_64__
