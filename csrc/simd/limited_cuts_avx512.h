// Cuts strings whose cuts are limited, eight at once: the masks of their first 64 bytes, in which most strings have all
// cuts, are the lanes of a vector.
//
// Included once by avx512.cpp, after limited_cuts.h.
#pragma once

#include <algorithm>
#include <type_traits>

#include "simd/limited_cuts.h"

namespace stringops::simd {
namespace {

constexpr int64_t kGroup = 8, kGroups = 8;
constexpr int64_t kRowEnds = 4, kMaxRows = LimitedCuts::kMaxCuts / kRowEnds + 1;

// The first windows of kGroups * kGroup strings. One loop stores values lane by lane, and another one loads them,
// because loading them at once would stall.
struct FirstWindows {
  alignas(64) uint64_t separators[kGroup * kGroups];
  uint64_t are_ascii;  // bit g: the windows of group g
  // For a group: the kept bytes of the windows, the numbers of kept bytes and pieces, and the ends of the pieces.
  alignas(64) uint64_t kept[kGroup];
  alignas(32) int32_t sizes[kGroup], pieces[kGroup];
  alignas(16) int32_t ends[kMaxRows][kGroup][kRowEnds];
};

// Same as Dropped, for a group.
struct DroppedOfEach {
  Vector bytes;
  Vector cuts;
  __mmask8 is_last;
  __mmask8 ends_piece;  // whether a piece ends with the window, if that is the string's last one
};

inline Vector minus_one(Vector words) {
  return _mm512_add_epi64(words, _mm512_set1_epi64(-1));
}

// Return, for each lane, all bits but the lowest set one; the bits below it; it and the bits below it. They return all
// bits if there is none.
inline Vector without_lowest(Vector words) {
  return _mm512_and_si512(words, minus_one(words));
}
inline Vector below_lowest(Vector words) {
  return _mm512_andnot_si512(words, minus_one(words));
}
inline Vector up_to_lowest(Vector words) {
  return _mm512_xor_si512(words, minus_one(words));
}

inline Vector from_nth_bit(Vector words, int64_t n) {
  for (int64_t i = 1; i < n; ++i) words = without_lowest(words);
  return words;
}

// Apply the rules of limited_cuts.h to a group.
inline DroppedOfEach drop_of_each(const WordRule& rule, Vector separators, Vector inside) {
  const Vector spaces = _mm512_and_si512(separators, inside), others = _mm512_andnot_si512(separators, inside);
  const Vector starts = _mm512_and_si512(spaces, _mm512_add_epi64(others, others));
  const Vector rest =
      rule.left == 0 ? others : _mm512_andnot_si512(below_lowest(from_nth_bit(starts, rule.left)), others);
  const Vector dropped = _mm512_and_si512(spaces, below_lowest(rest));
  const Vector last = _mm512_andnot_si512(_mm512_srli_epi64(inside, 1), inside);
  return {dropped, _mm512_and_si512(starts, dropped), _mm512_test_epi64_mask(rest, rest),
          _mm512_test_epi64_mask(_mm512_andnot_si512(dropped, last), last)};
}

inline DroppedOfEach drop_of_each(const FieldRule& rule, Vector separators, Vector inside) {
  constexpr __mmask8 kAll = 0xFF;
  if (rule.left == 0) return {_mm512_setzero_si512(), _mm512_setzero_si512(), kAll, kAll};
  const Vector all = _mm512_and_si512(separators, inside), last = from_nth_bit(all, rule.left);
  const Vector dropped = _mm512_and_si512(all, up_to_lowest(last));
  return {dropped, dropped, _mm512_test_epi64_mask(last, last), kAll};
}

inline uint64_t find_separators(const WordRule&, Vector bytes) {
  return ascii_whitespace(bytes);
}
inline uint64_t find_separators(const FieldRule& rule, Vector bytes) {
  return V::equal(bytes, rule.delimiter);
}

// Returns the running sum: lane i is the sum of lanes 0..i of the numbers.
inline __m256i running_sum(__m256i numbers) {
  numbers = _mm256_add_epi32(numbers, _mm256_slli_si256(numbers, 4));
  numbers = _mm256_add_epi32(numbers, _mm256_slli_si256(numbers, 8));
  return _mm256_add_epi32(numbers, _mm256_maskz_permutexvar_epi32(0xF0, _mm256_set1_epi32(3), numbers));
}

// Prefetches the cache lines of a later window. Windows skip the rests of strings, so the processor does not foresee
// them.
inline void prefetch_ahead(const uint8_t* window) {
  constexpr uintptr_t kAhead = 4096;
  const uintptr_t at = reinterpret_cast<uintptr_t>(window) + kAhead;  // maybe beyond the text
  __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 2);
  __builtin_prefetch(reinterpret_cast<const void*>(at + kWordBits), 0, 2);
}

// kIsFirstPass tells that the text may be in memory; in the second pass, it is in a cache.
template <bool kIsFirstPass, class Rule>
void find_separators(const LimitedCuts& in, const Rule& rule, int64_t first, int64_t groups, FirstWindows& windows) {
  const uint8_t* const data = in.data;
  const int32_t* const ends = in.string_ends + first;
  int64_t at = first > 0 ? ends[-1] : 0;
  windows.are_ascii = 0;
  for (int64_t g = 0; g < groups; ++g) {
    Vector any = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int64_t j = 0; j < kGroup; ++j) {
      const Vector bytes = V::load(data + at);
      if (kIsFirstPass) prefetch_ahead(data + at);
      windows.separators[g * kGroup + j] = find_separators(rule, bytes);
      any = _mm512_or_si512(any, bytes);
      at = ends[g * kGroup + j];
    }
    windows.are_ascii |= static_cast<uint64_t>(_mm512_movepi8_mask(any) == 0) << g;
  }
}

// Strings that have all cuts in their first windows.
struct Group {
  const int32_t* ends;
  int64_t begin;
  Vector sizes;
  Vector inside;
  DroppedOfEach dropped;
  Vector cuts, pieces;  // numbers of them
  int64_t num_pieces;
};

inline void take_group(const LimitedCuts&, const Group& group, FirstWindows&, PieceCounting& out) {
  out.add(_mm512_reduce_add_epi64(_mm512_popcnt_epi64(group.dropped.bytes)), group.num_pieces);
}

// Returns the kept bytes of each string before its cuts, and all kept bytes from the last cut on; four masks for each
// string, in order.
inline Vector bytes_before(Vector* cuts, Vector kept, Vector sizes) {
  const Vector before = _mm512_popcnt_epi64(_mm512_and_si512(kept, below_lowest(*cuts)));
  const Vector result = _mm512_mask_mov_epi64(sizes, _mm512_test_epi64_mask(*cuts, *cuts), before);
  *cuts = without_lowest(*cuts);
  return result;
}

inline void list_ends(Vector* cuts, Vector kept, Vector sizes, int32_t (*rows)[kRowEnds]) {
  const auto next = [&] { return _mm512_cvtepi64_epi32(bytes_before(cuts, kept, sizes)); };
  const Half a = next(), b = next(), c = next(), d = next();
  const Half ab = _mm256_unpacklo_epi32(a, b), ab_high = _mm256_unpackhi_epi32(a, b);
  const Half cd = _mm256_unpacklo_epi32(c, d), cd_high = _mm256_unpackhi_epi32(c, d);
  const auto put = [&](int64_t j, Half two) {
    _mm256_storeu2_m128i(reinterpret_cast<__m128i*>(rows[j + 4]), reinterpret_cast<__m128i*>(rows[j]), two);
  };
  put(0, _mm256_unpacklo_epi64(ab, cd));
  put(1, _mm256_unpackhi_epi64(ab, cd));
  put(2, _mm256_unpacklo_epi64(ab_high, cd_high));
  put(3, _mm256_unpackhi_epi64(ab_high, cd_high));
}

inline void take_group(const LimitedCuts& in, const Group& group, FirstWindows& windows, PieceWriting<true>& out) {
  const auto put = [](int32_t* to, Vector numbers) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(numbers));
  };
  const Vector kept = _mm512_andnot_si512(group.dropped.bytes, group.inside);
  const Vector sizes = _mm512_sub_epi64(group.sizes, _mm512_popcnt_epi64(group.dropped.bytes));
  V::store(windows.kept, kept);
  put(windows.pieces, group.pieces);
  put(windows.sizes, sizes);
  const int64_t num_rows = in.max_cuts / kRowEnds + 1;
  Vector cuts = group.dropped.cuts;
  for (int64_t r = 0; r < num_rows; ++r) list_ends(&cuts, kept, sizes, windows.ends[r]);
  const bool any_is_longer = _mm512_cmpgt_epi64_mask(group.sizes, _mm512_set1_epi64(kWordBits)) != 0;

  const PieceRoom room = out.room();
  const uint8_t* from = in.data + group.begin;
  uint8_t* to = room.out;
  int32_t* out_ends = room.out_ends;
  __m128i base = _mm_set1_epi32(room.base);
  for (int64_t j = 0; j < kGroup; ++j) {
    const uint8_t* const next = in.data + group.ends[j];
    compress_block(from, windows.kept[j], to);
    if (any_is_longer) {
      uint8_t* const rest = to + popcount(windows.kept[j]);
      const int64_t size = next - from;
      std::memcpy(rest, from + kWordBits, kWordBits);
      for (int64_t i = 2 * kWordBits; i < size; i += kWordBits) std::memcpy(rest + i - kWordBits, from + i, kWordBits);
    }
    for (int64_t r = 0; r < num_rows; ++r) {  // ends beyond the last one are overwritten
      const __m128i row = _mm_load_si128(reinterpret_cast<const __m128i*>(windows.ends[r][j]));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out_ends + r * kRowEnds), _mm_add_epi32(row, base));
    }
    base = _mm_add_epi32(base, _mm_set1_epi32(windows.sizes[j]));
    to += windows.sizes[j];
    out_ends += windows.pieces[j];
    from = next;
  }
  out.add(to - room.out, group.num_pieces);
}

struct EightStrings {
  template <bool kFits, class Rule, class Out>
  static void cut(const LimitedCuts& in, const Rule& rule, Out& out, int32_t* string_pieces) {
    int64_t first = 0;
    if constexpr (kFits) {
      FirstWindows windows;
      for (int64_t left; (left = in.num_strings - first) >= kGroup;) {
        const int64_t groups = std::min(left / kGroup, kGroups);
        find_separators<std::is_same_v<Out, PieceCounting>>(in, rule, first, groups, windows);
        for (int64_t g = 0; g < groups; ++g, first += kGroup)
          cut_group(in, rule, first, windows, g, out, string_pieces);
      }
    }
    cut_each<kFits>(in, rule, first, in.num_strings, out, string_pieces);
  }

 private:
  template <class Rule, class Out>
  static void cut_group(const LimitedCuts& in, const Rule& rule, int64_t first, FirstWindows& windows, int64_t g,
                        Out& out, int32_t* string_pieces) {
    const int32_t* const string_ends = in.string_ends + first;
    const __m256i ends = V::load_half(string_ends);
    const __m256i begins = first > 0 ? V::load_half(string_ends - 1) : _mm256_maskz_loadu_epi32(0xFE, string_ends - 1);
    Group group{string_ends, first > 0 ? string_ends[-1] : 0, {}, {}, {}, {}, {}, 0};
    group.sizes = _mm512_cvtepi32_epi64(_mm256_sub_epi32(ends, begins));
    // The low bits are set, all of them from a size of 64 on.
    group.inside = minus_one(_mm512_sllv_epi64(_mm512_set1_epi64(1), group.sizes));
    group.dropped = drop_of_each(rule, V::load(windows.separators + g * kGroup), group.inside);
    const auto open = static_cast<__mmask8>(~group.dropped.is_last);
    const bool goes_on = _mm512_mask_cmpgt_epi64_mask(open, group.sizes, _mm512_set1_epi64(kWordBits)) != 0;
    const bool is_known = std::is_same_v<Rule, FieldRule> || (windows.are_ascii >> g & 1) != 0;
    if (goes_on || !is_known) return cut_each<true>(in, rule, first, first + kGroup, out, string_pieces);
    const auto ends_piece = static_cast<__mmask8>(group.dropped.is_last | group.dropped.ends_piece);
    group.cuts = _mm512_popcnt_epi64(group.dropped.cuts);
    group.pieces = _mm512_mask_add_epi64(group.cuts, ends_piece, group.cuts, _mm512_set1_epi64(1));
    const __m256i up_to = running_sum(_mm512_cvtepi64_epi32(group.pieces));
    group.num_pieces = _mm256_extract_epi32(up_to, kGroup - 1);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(string_pieces + first),
                        _mm256_add_epi32(up_to, _mm256_set1_epi32(static_cast<int>(out.pieces()))));
    take_group(in, group, windows, out);
  }
};

}  // namespace
}  // namespace stringops::simd
