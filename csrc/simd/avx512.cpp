// AVX-512 with VBMI2, BITALG and VPOPCNTDQ: 64 bytes, one mask word, a step.
#include <immintrin.h>

#include <algorithm>

#include "core/bits.h"
#include "simd/mask_words.h"
#include "simd/tiers.h"
#include "simd/utf8_pairs.h"

// GCC 12 takes the undefined pass-through operand of its own intrinsics for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target( \
    "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,avx512dq,bmi,bmi2,popcnt,lzcnt")

namespace stringops::simd {
namespace {

// 64 bytes at data + i, zeros at n and beyond. Masked-off bytes are not touched, so the load cannot fault.
inline __m512i load(const uint8_t* data, int64_t i, int64_t n) {
  if (i + 64 <= n) return _mm512_loadu_si512(data + i);
  return _mm512_maskz_loadu_epi8(low_bits(std::max<int64_t>(n - i, 0)), data + i);
}

void find_byte(const uint8_t* data, int64_t n, uint8_t byte, uint64_t* words) {
  const __m512i wanted = _mm512_set1_epi8(static_cast<char>(byte));
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) words[i / 64] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(data + i), wanted);
  if (i < n) words[i / 64] = _mm512_cmpeq_epi8_mask(load(data, i, n), wanted) & low_bits(n - i);
}

void find_pair(const uint8_t* data, int64_t n, int64_t readable, uint8_t first, uint8_t last, int64_t distance,
               uint64_t* words) {
  const __m512i a = _mm512_set1_epi8(static_cast<char>(first)), b = _mm512_set1_epi8(static_cast<char>(last));
  int64_t i = 0;
  for (const int64_t whole = std::min(n, readable - distance) - 64; i <= whole; i += 64) {
    const __mmask64 starts = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(data + i), a);
    words[i / 64] = _mm512_mask_cmpeq_epi8_mask(starts, _mm512_loadu_si512(data + i + distance), b);
  }
  for (; i < n; i += 64) {
    const uint64_t starts = _mm512_cmpeq_epi8_mask(load(data, i, n), a);
    const uint64_t ends = _mm512_cmpeq_epi8_mask(load(data, i + distance, readable), b);
    words[i / 64] = starts & ends & low_bits(n - i) & low_bits(std::max<int64_t>(readable - i - distance, 0));
  }
}

// The set's row for the low half of a byte has a bit for its high half; the shuffle gives no row for bytes beyond
// ASCII.
void find_set(const uint8_t* data, int64_t n, const CharSet& set, uint64_t* words) {
  const __m512i rows = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(set.rows().data())));
  const __m512i bits = _mm512_broadcast_i32x4(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0));
  for (int64_t i = 0; i < n; i += 64) {
    const __m512i x = load(data, i, n);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(x, 4), _mm512_set1_epi8(0x0F));
    uint64_t word = _mm512_test_epi8_mask(_mm512_shuffle_epi8(rows, x), _mm512_shuffle_epi8(bits, high));
    if (set.beyond_ascii) word |= _mm512_movepi8_mask(x);
    words[i / 64] = word & low_bits(n - i);
  }
}

void find_codepoint_ends(const uint8_t* data, int64_t n, uint64_t* words) {
  // As signed bytes, continuations, 80..BF, are the ones below C0.
  for (int64_t i = 0; i < n; i += 64) {
    words[i / 64] =
        _mm512_cmpge_epi8_mask(load(data, i + 1, n), _mm512_set1_epi8(static_cast<char>(0xC0))) & low_bits(n - i);
  }
}

inline uint64_t in_range(__m512i x, uint8_t low, uint8_t high) {
  return _mm512_cmple_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8(static_cast<char>(low))),
                                _mm512_set1_epi8(static_cast<char>(high - low)));
}

inline uint64_t equal(__m512i x, uint8_t byte) {
  return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(static_cast<char>(byte)));
}

// Per byte of `index`, 0 to 15, that byte of the table.
inline __m512i look_up(const uint8_t (&table)[16], __m512i index) {
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table))), index);
}

// Not 0 where x, which follows on `before`, holds a byte that no UTF-8 has there; see utf8_pairs.h.
inline __m512i utf8_errors(__m512i x, __m512i before) {
  const __m512i over = _mm512_alignr_epi64(x, before, 6);  // the bytes 16 places before x's
  const __m512i p1 = _mm512_alignr_epi8(x, over, 15), p2 = _mm512_alignr_epi8(x, over, 14),
                p3 = _mm512_alignr_epi8(x, over, 13);
  const __m512i nibble = _mm512_set1_epi8(0x0F);
  const __m512i pair = _mm512_and_si512(
      _mm512_and_si512(look_up(kUtf8Pairs.first_high, _mm512_and_si512(_mm512_srli_epi16(p1, 4), nibble)),
                       look_up(kUtf8Pairs.first_low, _mm512_and_si512(p1, nibble))),
      look_up(kUtf8Pairs.second_high, _mm512_and_si512(_mm512_srli_epi16(x, 4), nibble)));
  // The high bit, where p2 >= E0 or p3 >= F0.
  const __m512i further = _mm512_or_si512(_mm512_subs_epu8(p2, _mm512_set1_epi8(0xE0 - 0x80)),
                                          _mm512_subs_epu8(p3, _mm512_set1_epi8(0xF0 - 0x80)));
  return _mm512_xor_si512(pair, _mm512_and_si512(further, _mm512_set1_epi8(static_cast<char>(0x80))));
}

bool is_utf8(const uint8_t* data, int64_t n) {
  __m512i errors = _mm512_setzero_si512(), before = _mm512_setzero_si512();
  // On to a zero behind the end: what is cut short there shows.
  for (int64_t i = 0; i < n + 64; i += 64) {
    const __m512i x = load(data, i, n);
    if (_mm512_movepi8_mask(_mm512_or_si512(x, before)) != 0) {
      errors = _mm512_or_si512(errors, utf8_errors(x, before));
    }
    before = x;
  }
  return _mm512_test_epi8_mask(errors, errors) == 0;
}

// Whitespace characters of two and three bytes by the table of core/whitespace.h, 64 places at once: x holds the bytes,
// y those one further, z two further. Bits of the next word that belong to a character of this one go to `carry`.
inline uint64_t unicode_whitespace(__m512i x, const uint8_t* data, int64_t i, int64_t n, uint64_t* carry) {
  const uint64_t c2 = equal(x, 0xC2), e2 = equal(x, 0xE2), e1 = equal(x, 0xE1), e3 = equal(x, 0xE3);
  uint64_t word = *carry;
  *carry = 0;
  if ((c2 | e1 | e2 | e3) == 0) return word;
  const __m512i y = load(data, i + 1, n), z = load(data, i + 2, n);
  const uint64_t two = c2 & (equal(y, 0x85) | equal(y, 0xA0));
  const uint64_t y80 = equal(y, 0x80), z80 = equal(z, 0x80);
  const uint64_t general = in_range(z, 0x80, 0x8A) | in_range(z, 0xA8, 0xA9) | equal(z, 0xAF);
  const uint64_t three =
      (e2 & y80 & general) | (e2 & equal(y, 0x81) & equal(z, 0x9F)) | (e1 & equal(y, 0x9A) & z80) | (e3 & y80 & z80);
  *carry = (two >> 63) | (three >> 63) | (three >> 63 << 1) | (three >> 62 & 1);
  return word | two | two << 1 | three | three << 1 | three << 2;
}

// Entry i is i where that is whitespace; else what no byte with the low six bits i is.
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

bool find_whitespace(const uint8_t* data, int64_t n, uint64_t* words) {
  // A lookup by the low six bits gives a byte itself exactly where it is ASCII whitespace.
  const __m512i table = _mm512_load_si512(kWhitespace.bytes);
  const auto ascii_whitespace = [&](__m512i x) { return _mm512_cmpeq_epi8_mask(_mm512_permutexvar_epi8(x, table), x); };
  constexpr int64_t kStep = 4 * 64;
  uint64_t carry = 0, high = 0;
  for (int64_t i = 0; i < n; i += kStep) {
    // One look for bytes beyond ASCII at four blocks.
    if (i + kStep <= n && carry == 0) {
      const __m512i a = load(data, i, n), b = load(data, i + 64, n), c = load(data, i + 128, n),
                    d = load(data, i + 192, n);
      if (_mm512_movepi8_mask(_mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d))) == 0) {
        words[i / 64] = ascii_whitespace(a);
        words[i / 64 + 1] = ascii_whitespace(b);
        words[i / 64 + 2] = ascii_whitespace(c);
        words[i / 64 + 3] = ascii_whitespace(d);
        continue;
      }
    }
    for (int64_t j = i; j < std::min(i + kStep, n); j += 64) {
      const __m512i x = load(data, j, n);
      uint64_t word = ascii_whitespace(x);
      const uint64_t high_here = _mm512_movepi8_mask(x);
      if (high_here | carry) word |= unicode_whitespace(x, data, j, n, &carry);
      words[j / 64] = word & low_bits(n - j);
      high |= high_here;
    }
  }
  return high == 0;
}

// Lane i of rank(keep) is the number of kept bytes among 0..i. By eights: `keep` is spread so that each lane sees the
// byte of its group, masked to the bits at or below it and counted; the groups before are added from a multiplication,
// whose byte g is the sum of the counts of groups 0..g-1.
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

// The first place behind p where a vector lies in one cache line.
inline int32_t* next_aligned(int32_t* p) {
  return reinterpret_cast<int32_t*>((reinterpret_cast<uintptr_t>(p) | 63) + 1);
}

// Most rows are mostly padding, and a store across two cache lines costs as much as two: all but a row's first begin on
// one. Every vector takes the ends that lie in it and the padding in one load, so that the number of steps depends on
// the width alone: the branches of a loop over the ends, followed by one over the padding, cost more.
int32_t pad_rows(const int32_t* ends, int32_t begin, const int32_t* counts, int64_t num_rows, int64_t width,
                 int32_t last, int32_t* out, const int32_t* out_limit) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int64_t k = 0; k < num_rows; ++k) {
    const auto pieces = static_cast<int>(std::clamp<int64_t>(counts[k] - begin, 0, width));
    const int32_t* const from = ends + begin;
    *out++ = last;
    if (pieces > 0) last = from[pieces - 1];
    const __m512i padding = _mm512_set1_epi32(last);
    const auto row_at = [&](int64_t c) {
      const __mmask16 have = _mm512_cmplt_epi32_mask(lanes, _mm512_set1_epi32(pieces - static_cast<int>(c)));
      return _mm512_mask_loadu_epi32(padding, have, from + c);
    };
    int64_t c = 0;
    if (out_limit - out >= width + 16) {
      _mm512_storeu_si512(out, row_at(0));
      for (c = next_aligned(out) - out; c < width; c += 16) _mm512_store_si512(out + c, row_at(c));
    }
    for (; c < width; c += 16) {
      _mm512_mask_storeu_epi32(out + c, static_cast<__mmask16>(low_bits(std::min<int64_t>(width - c, 16))), row_at(c));
    }
    out += width;
    begin = counts[k];
  }
  return last;
}

// For each end, the kept bytes up to it. Where all ends stand on kept bytes, as those of words do, closing the gaps
// between those bytes brings an end to the place before its number, which takes half the time of a rank.
//
//   keep       1 1 1 0 1 1 0 ...
//   ends       0 0 1 0 0 1 0
//   closed     0 0 1   0 1       -> 3, 5
inline __m512i pack_ends(uint64_t keep, uint64_t ends) {
  if (ends & ~keep) return _mm512_maskz_compress_epi8(ends, rank(keep));
  const __m512i numbers =
      _mm512_set_epi8(64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
                      40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
                      16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
  return _mm512_maskz_compress_epi8(_pext_u64(ends, keep), numbers);
}

PieceCounts write_pieces(const PieceBlock& b) {
  uint8_t* out = b.out;
  int32_t* out_ends = b.out_ends;
  __m512i base = _mm512_set1_epi32(b.base);
  bool complete = true;
  for (int64_t i = 0; i < b.n; i += 64) {
    const uint64_t keep = b.keep[i / 64];
    const __m512i kept = _mm512_maskz_compress_epi8(keep, load(b.data, i, b.n));
    int64_t num_kept = popcount(keep);
    if (b.out_limit - out >= 64) {
      _mm512_storeu_si512(out, kept);
    } else {
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
        // Characters: whether two, three or four steps are needed cannot be foreseen, so it is always four.
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

int64_t count_bits(const uint64_t* words, int64_t count) {
  return mask_words::count_bits(words, count);
}

void end_words(const uint64_t* separators, const uint64_t* row_starts, int64_t count, uint64_t* kept, uint64_t* ends) {
  mask_words::end_words(separators, row_starts, count, kept, ends);
}

bool end_fields(const uint64_t* delimiters, const uint64_t* covered, const uint64_t* row_starts, int64_t count,
                uint64_t* kept, uint64_t* ends) {
  return mask_words::end_fields(delimiters, covered, row_starts, count, kept, ends);
}

void clamp_offsets(const int32_t* offsets, int64_t count, int32_t low, int32_t high, int32_t origin, int32_t* out) {
  mask_words::clamp_offsets(offsets, count, low, high, origin, out);
}

void widen(const int32_t* numbers, int64_t count, int64_t base, int64_t* out) {
  mask_words::widen(numbers, count, base, out);
}

// The 16 bytes at each of eight places, as their first and their last eight. Plain loads: a gather takes twice as long.
template <class At>
inline void load_pairs(const At& at, __m512i* first, __m512i* last) {
  const auto four = [&](int64_t j) {
    const auto two = [&](int64_t k) { return _mm256_loadu2_m128i(at(k + 1), at(k)); };
    return _mm512_inserti64x4(_mm512_castsi256_si512(two(j)), two(j + 2), 1);
  };
  const __m512i a = four(0), b = four(4);
  *first = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
  *last = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}

// No lambda: for those GCC warns of a vector that is returned, whatever the target.
inline __m512i wide(uint64_t x) {
  return _mm512_set1_epi64(static_cast<int64_t>(x));
}

bool load_word_keys(const uint8_t* data, uint32_t last_begin, const uint32_t* begins, const uint32_t* sizes, int64_t n,
                    const HashSeed& seed, uint64_t capacity, WordKeys& keys, uint64_t* longer) {
  __m512i last = _mm512_setzero_si512();
  for (int64_t j = 0; j < WordKeys::kMaxWords; j += 16) last = _mm512_max_epu32(last, _mm512_loadu_si512(begins + j));
  if (_mm512_cmpgt_epu32_mask(last, _mm512_set1_epi32(static_cast<int>(last_begin)))) return false;
  const __m512i ones = _mm512_set1_epi64(-1), lower = _mm512_set1_epi64(0xffffffff);
  uint64_t more = 0;
  for (int64_t j = 0; j < n; j += 8) {
    __m512i low, high;
    load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(data + begins[j + k]); }, &low, &high);
    const __m512i size = _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(sizes + j)));
    more |= static_cast<uint64_t>(_mm512_cmpgt_epu64_mask(size, wide(kInlineBytes))) << j;
    // Shifts by 64 and more leave nothing, so that the masks keep 0 to 8 bytes, and 0 to 3 (or 4 of a longer word).
    const __m512i bits = _mm512_slli_epi64(_mm512_min_epu64(size, wide(kInlineBytes + 1)), 3);
    low = _mm512_andnot_si512(_mm512_sllv_epi64(ones, bits), low);
    high = _mm512_andnot_si512(_mm512_sllv_epi64(ones, _mm512_subs_epu16(bits, wide(64))), high);
    high = _mm512_or_si512(high, _mm512_slli_epi64(bits, 21));  // the size at bit 24
    const __m512i a = _mm512_add_epi32(low, wide(seed.low)), b = _mm512_add_epi32(high, wide(seed.high));
    __m512i sum = _mm512_mul_epu32(a, _mm512_srli_epi64(a, 32));
    sum = _mm512_add_epi64(sum, _mm512_mul_epu32(b, wide(seed.high >> 32)));
    const __m512i hash = _mm512_mul_epu32(_mm512_xor_si512(sum, _mm512_srli_epi64(sum, 32)), wide(kHomeFactor));
    const __m512i home = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_and_si512(hash, lower), wide(capacity)), 32);
    _mm512_store_si512(keys.low + j, low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(keys.high + j), _mm512_cvtepi64_epi32(high));
    _mm256_store_si256(reinterpret_cast<__m256i*>(keys.home + j), _mm512_cvtepi64_epi32(home));
  }
  *longer = more & low_bits(n);
  return true;
}

uint64_t match_words(const uint8_t* slots, const WordKeys& keys, int64_t n, int64_t* ids) {
  uint64_t differ = 0;
  for (int64_t j = 0; j < n; j += 8) {
    __m512i low, high_and_id;
    load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(slots + keys.home[j + k] * sizeof(WordSlot)); },
               &low, &high_and_id);
    const __m256i high = _mm256_load_si256(reinterpret_cast<const __m256i*>(keys.high + j));
    const uint64_t here = _mm512_cmpneq_epi64_mask(low, _mm512_load_si512(keys.low + j)) |
                          _mm256_cmpneq_epi32_mask(_mm512_cvtepi64_epi32(high_and_id), high);
    differ |= here << j;
    _mm512_mask_storeu_epi64(ids + j, static_cast<__mmask8>(low_bits(std::min<int64_t>(n - j, 8))),
                             _mm512_srai_epi64(high_and_id, 32));
  }
  return differ & low_bits(n);
}

}  // namespace

const Primitives avx512_primitives = {"avx512",
                                      find_byte,
                                      find_pair,
                                      find_set,
                                      find_codepoint_ends,
                                      is_utf8,
                                      find_whitespace,
                                      end_words,
                                      end_fields,
                                      clamp_offsets,
                                      widen,
                                      count_bits,
                                      popcnt::count_before,
                                      pad_rows,
                                      write_pieces,
                                      load_word_keys,
                                      match_words,
                                      avx512::equal_strings};

}  // namespace stringops::simd

#pragma GCC pop_options
