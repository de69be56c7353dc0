// AVX2 with BMI: 64 bytes as two halves give one mask word a step.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/narrow.h"
#include "core/whitespace.h"
#include "simd/equal_strings.h"
#include "simd/mask_words.h"
#include "simd/tiers.h"
#include "simd/utf8_pairs.h"

#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")

namespace stringops::simd {
namespace {

struct Block {
  __m256i low, high;
};

// 64 bytes at data + i, zeros at n and beyond: the last block goes through a copy, since AVX2 has no masked byte load.
inline Block load(const uint8_t* data, int64_t i, int64_t n) {
  alignas(32) uint8_t copy[64];
  const uint8_t* from = data + i;
  if (i + 64 > n) {
    const int64_t have = std::max<int64_t>(n - i, 0);
    std::memset(copy, 0, sizeof(copy));
    if (have) std::memcpy(copy, from, static_cast<size_t>(have));
    from = copy;
  }
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32))};
}

inline uint64_t mask_of(__m256i low, __m256i high) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

inline uint64_t equal(const Block& x, uint8_t byte) {
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(byte));
  return mask_of(_mm256_cmpeq_epi8(x.low, wanted), _mm256_cmpeq_epi8(x.high, wanted));
}

// x - low <= high - low, unsigned, as min(d, w) == d.
inline __m256i in_range(__m256i x, uint8_t low, uint8_t high) {
  const __m256i d = _mm256_sub_epi8(x, _mm256_set1_epi8(static_cast<char>(low)));
  return _mm256_cmpeq_epi8(_mm256_min_epu8(d, _mm256_set1_epi8(static_cast<char>(high - low))), d);
}

inline __m256i ascii_whitespace(__m256i x) {
  return _mm256_or_si256(in_range(x, 0x09, 0x0D), in_range(x, 0x1C, 0x20));
}

void find_byte(const uint8_t* data, int64_t n, uint8_t byte, uint64_t* words) {
  for (int64_t i = 0; i < n; i += 64) words[i / 64] = equal(load(data, i, n), byte) & low_bits(n - i);
}

void find_pair(const uint8_t* data, int64_t n, int64_t readable, uint8_t first, uint8_t last, int64_t distance,
               uint64_t* words) {
  int64_t i = 0;
  for (const int64_t whole = std::min(n, readable - distance) - 64; i <= whole; i += 64) {
    words[i / 64] = equal(load(data, i, n), first) & equal(load(data, i + distance, readable), last);
  }
  for (; i < n; i += 64) {
    words[i / 64] = equal(load(data, i, n), first) & equal(load(data, i + distance, readable), last) & low_bits(n - i) &
                    low_bits(std::max<int64_t>(readable - i - distance, 0));
  }
}

// The set's row for the low half of a byte has a bit for its high half; the shuffle gives no row for bytes beyond
// ASCII.
void find_set(const uint8_t* data, int64_t n, const CharSet& set, uint64_t* words) {
  const __m256i rows =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(set.rows().data())));
  const __m256i bits = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0));
  const auto misses = [&](__m256i x) {
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(0x0F));
    return _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(rows, x), _mm256_shuffle_epi8(bits, high)),
                             _mm256_setzero_si256());
  };
  for (int64_t i = 0; i < n; i += 64) {
    const Block x = load(data, i, n);
    uint64_t word = ~mask_of(misses(x.low), misses(x.high));
    if (set.beyond_ascii) word |= mask_of(x.low, x.high);
    words[i / 64] = word & low_bits(n - i);
  }
}

void find_codepoint_ends(const uint8_t* data, int64_t n, uint64_t* words) {
  // As signed bytes, continuations, 80..BF, are the ones below C0.
  const __m256i limit = _mm256_set1_epi8(static_cast<char>(0xC0));
  for (int64_t i = 0; i < n; i += 64) {
    const Block next = load(data, i + 1, n);
    words[i / 64] = ~mask_of(_mm256_cmpgt_epi8(limit, next.low), _mm256_cmpgt_epi8(limit, next.high)) & low_bits(n - i);
  }
}

// Per byte of `index`, 0 to 15, that byte of the table.
inline __m256i look_up(const uint8_t (&table)[16], __m256i index) {
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table))),
                             index);
}

// Not 0 where x, which follows on `before`, holds a byte that no UTF-8 has there; see utf8_pairs.h.
inline __m256i utf8_errors(__m256i x, __m256i before) {
  const __m256i over = _mm256_permute2x128_si256(before, x, 0x21);  // the bytes 16 places before x's
  const __m256i p1 = _mm256_alignr_epi8(x, over, 15), p2 = _mm256_alignr_epi8(x, over, 14),
                p3 = _mm256_alignr_epi8(x, over, 13);
  const __m256i nibble = _mm256_set1_epi8(0x0F);
  const __m256i pair = _mm256_and_si256(
      _mm256_and_si256(look_up(kUtf8Pairs.first_high, _mm256_and_si256(_mm256_srli_epi16(p1, 4), nibble)),
                       look_up(kUtf8Pairs.first_low, _mm256_and_si256(p1, nibble))),
      look_up(kUtf8Pairs.second_high, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble)));
  // The high bit, where p2 >= E0 or p3 >= F0.
  const __m256i further = _mm256_or_si256(_mm256_subs_epu8(p2, _mm256_set1_epi8(0xE0 - 0x80)),
                                          _mm256_subs_epu8(p3, _mm256_set1_epi8(0xF0 - 0x80)));
  return _mm256_xor_si256(pair, _mm256_and_si256(further, _mm256_set1_epi8(static_cast<char>(0x80))));
}

bool is_utf8(const uint8_t* data, int64_t n) {
  __m256i errors = _mm256_setzero_si256(), before = _mm256_setzero_si256();
  // On to a zero behind the end: what is cut short there shows.
  for (int64_t i = 0; i < n + 64; i += 64) {
    const Block x = load(data, i, n);
    if (_mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(x.low, x.high), before)) != 0) {
      errors = _mm256_or_si256(errors, _mm256_or_si256(utf8_errors(x.low, before), utf8_errors(x.high, x.low)));
    }
    before = x.high;
  }
  return _mm256_testz_si256(errors, errors) != 0;
}

bool find_whitespace(const uint8_t* data, int64_t n, uint64_t* words) {
  uint64_t high = 0;
  uint64_t carry = 0;  // bits of this word that belong to a character which began in the one before
  for (int64_t i = 0; i < n; i += 64) {
    const Block x = load(data, i, n);
    uint64_t word = mask_of(ascii_whitespace(x.low), ascii_whitespace(x.high)) | carry;
    carry = 0;
    if (const uint64_t high_here = mask_of(x.low, x.high)) {
      high |= high_here;
      // Places where a two- or three-byte whitespace character can begin by its first two bytes are few: each is
      // looked at by itself.
      const Block y = load(data, i + 1, n);
      uint64_t candidates = (equal(x, 0xC2) & (equal(y, 0x85) | equal(y, 0xA0))) |
                            (equal(x, 0xE2) & (equal(y, 0x80) | equal(y, 0x81))) | (equal(x, 0xE1) & equal(y, 0x9A)) |
                            (equal(x, 0xE3) & equal(y, 0x80));
      for (; candidates; candidates &= candidates - 1) {
        const int at = first_bit(candidates);
        const uint64_t bits = low_bits(whitespace_length(data + i + at, data + n));
        word |= bits << at;
        if (at > 61) carry |= bits >> (64 - at);
      }
    }
    words[i / 64] = word & low_bits(n - i);
  }
  return high == 0;
}

inline int32_t* next_aligned(int32_t* p) {
  return reinterpret_cast<int32_t*>((reinterpret_cast<uintptr_t>(p) | 31) + 1);
}

// As in avx512.cpp, in halves of a cache line.
int32_t pad_rows(const int32_t* ends, int32_t begin, const int32_t* counts, int64_t num_rows, int64_t width,
                 int32_t last, int32_t* out, const int32_t* out_limit) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const auto lanes_below = [&](int64_t n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lanes); };
  for (int64_t k = 0; k < num_rows; ++k) {
    const int64_t pieces = std::clamp<int64_t>(counts[k] - begin, 0, width);
    const int32_t* const from = ends + begin;
    *out++ = last;
    if (pieces > 0) last = from[pieces - 1];
    const __m256i padding = _mm256_set1_epi32(last);
    const auto row_at = [&](int64_t c) {
      const __m256i have = lanes_below(pieces - c);
      return _mm256_blendv_epi8(padding, _mm256_maskload_epi32(from + c, have), have);
    };
    int64_t c = 0;
    if (out_limit - out >= width + 8) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), row_at(0));
      for (c = next_aligned(out) - out; c < width; c += 8) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + c), row_at(c));
      }
    }
    for (; c < width; c += 8) _mm256_maskstore_epi32(out + c, lanes_below(width - c), row_at(c));
    out += width;
    begin = counts[k];
  }
  return last;
}

// AVX2 cannot compress bytes, so a table does: row m holds the places of m's set bits, for a shuffle that brings those
// bytes of eight to the front.
struct CompressTable {
  alignas(64) uint8_t places[256][8];
};

constexpr CompressTable make_compress_table() {
  CompressTable table{};
  for (int mask = 0; mask < 256; ++mask) {
    int at = 0;
    for (int bit = 0; bit < 8; ++bit) {
      if (mask >> bit & 1) table.places[mask][at++] = static_cast<uint8_t>(bit);
    }
  }
  return table;
}

constexpr CompressTable kCompress = make_compress_table();

// Byte g is the number of set bits in bytes 0..g-1 of `word`: the sums come from one multiplication.
inline uint64_t counts_before(uint64_t word) {
  uint64_t pairs = word - (word >> 1 & 0x5555555555555555);
  pairs = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333);
  return ((pairs + (pairs >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010100;
}

// The kept ones of 64 bytes, to `out`, eight at a time at places known beforehand, so that no step waits for another.
// Stores 64 bytes at the most.
inline void compress_block(const uint8_t* data, uint64_t keep, uint8_t* out) {
  const uint64_t before = counts_before(keep);
  for (int g = 0; g < 8; ++g) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(data + 8 * g));
    const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kCompress.places[keep >> (8 * g) & 0xFF]));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + (before >> (8 * g) & 0xFF)), _mm_shuffle_epi8(bytes, places));
  }
}

// base + 1 + i for each bit i of `ends`, to `out`, as compress_block does. Stores 64 numbers at the most.
inline void write_positions(uint64_t ends, int32_t base, int32_t* out) {
  const uint64_t before = counts_before(ends);
  for (int g = 0; g < 8; ++g) {
    const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kCompress.places[ends >> (8 * g) & 0xFF]));
    const __m256i wide = _mm256_add_epi32(_mm256_cvtepu8_epi32(places), _mm256_set1_epi32(base + 8 * g + 1));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + (before >> (8 * g) & 0xFF)), wide);
  }
}

// Ends a block that are written whether there are as many or not: about what 64 bytes of words or fields have, so that
// the number of rounds is mostly one. What is written too much is overwritten by the next block's.
constexpr int64_t kUsualEnds = 12;

PieceCounts write_pieces(const PieceBlock& b) {
  uint8_t* out = b.out;
  int32_t* out_ends = b.out_ends;
  bool complete = true;
  for (int64_t i = 0; i < b.n; i += 64) {
    const uint64_t keep = b.keep[i / 64];
    const int32_t base = b.base + narrow<int32_t>(out - b.out);
    const bool room_for_block = i + 64 <= b.n && b.out_limit - out >= 64;
    if (keep == ~uint64_t{0} && room_for_block && b.out_ends_limit - out_ends >= 64) {
      // All bytes are kept: characters, most likely, of which so many end that one by one takes long.
      std::memcpy(out, b.data + i, 64);
      out += 64;
      write_positions(b.ends[i / 64], base, out_ends);
      out_ends += popcount(b.ends[i / 64]);
      continue;
    }
    if (room_for_block) {
      compress_block(b.data + i, keep, out);
      out += popcount(keep);
    } else {
      complete &= popcount(keep) <= b.out_limit - out;
      for (uint64_t rest = keep; rest && out < b.out_limit; rest &= rest - 1) *out++ = b.data[i + first_bit(rest)];
    }

    uint64_t ends = b.ends[i / 64];
    const int64_t room = b.out_ends_limit - out_ends;
    const int64_t count = std::min<int64_t>(popcount(ends), room);
    complete &= count == popcount(ends);
    int64_t j = 0;
    // ends ^ (ends - 1) has the bits up to and including the lowest end.
    const auto write_end = [&] {
      out_ends[j++] = base + popcount(keep & (ends ^ (ends - 1)));
      ends &= ends - 1;
    };
    if (room >= kUsualEnds && count > 0) {
      for (int64_t k = 0; k < kUsualEnds; ++k) write_end();
    }
    while (j < count) write_end();
    out_ends += count;
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

// The 16 bytes at each of four places, as their first and their last eight.
template <class At>
inline void load_pairs(const At& at, __m256i* first, __m256i* last) {
  const __m256i a = _mm256_loadu2_m128i(at(2), at(0)), b = _mm256_loadu2_m128i(at(3), at(1));
  *first = _mm256_unpacklo_epi64(a, b);
  *last = _mm256_unpackhi_epi64(a, b);
}

// The lower halves of four lanes.
inline __m128i narrow(__m256i x) {
  const __m256i packed = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
  return _mm256_castsi256_si128(packed);
}

// No lambda: for those GCC warns of a vector that is returned, whatever the target.
inline __m256i wide(uint64_t x) {
  return _mm256_set1_epi64x(static_cast<int64_t>(x));
}

// As in avx512.cpp, four words a step.
bool load_word_keys(const uint8_t* data, uint32_t last_begin, const uint32_t* begins, const uint32_t* sizes, int64_t n,
                    const HashSeed& seed, uint64_t capacity, WordKeys& keys, uint64_t* longer) {
  const __m256i limit = _mm256_set1_epi32(static_cast<int>(last_begin));
  __m256i last = limit;
  for (int64_t j = 0; j < WordKeys::kMaxWords; j += 8) {
    last = _mm256_max_epu32(last, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(begins + j)));
  }
  if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(last, limit)) != -1) return false;
  const __m256i ones = _mm256_set1_epi64x(-1), lower = _mm256_set1_epi64x(0xffffffff);
  uint64_t more = 0;
  for (int64_t j = 0; j < n; j += 4) {
    __m256i low, high;
    load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(data + begins[j + k]); }, &low, &high);
    const __m256i size = _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(sizes + j)));
    const __m256i is_longer = _mm256_cmpgt_epi64(size, wide(kInlineBytes));
    more |= static_cast<uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(is_longer))) << j;
    const __m256i bits = _mm256_slli_epi64(_mm256_min_epu32(size, wide(kInlineBytes + 1)), 3);
    low = _mm256_andnot_si256(_mm256_sllv_epi64(ones, bits), low);
    high = _mm256_andnot_si256(_mm256_sllv_epi64(ones, _mm256_subs_epu16(bits, wide(64))), high);
    high = _mm256_or_si256(high, _mm256_slli_epi64(bits, 21));
    const __m256i a = _mm256_add_epi32(low, wide(seed.low)), b = _mm256_add_epi32(high, wide(seed.high));
    __m256i sum = _mm256_mul_epu32(a, _mm256_srli_epi64(a, 32));
    sum = _mm256_add_epi64(sum, _mm256_mul_epu32(b, wide(seed.high >> 32)));
    const __m256i hash = _mm256_mul_epu32(_mm256_xor_si256(sum, _mm256_srli_epi64(sum, 32)), wide(kHomeFactor));
    const __m256i home = _mm256_srli_epi64(_mm256_mul_epu32(_mm256_and_si256(hash, lower), wide(capacity)), 32);
    _mm256_store_si256(reinterpret_cast<__m256i*>(keys.low + j), low);
    _mm_store_si128(reinterpret_cast<__m128i*>(keys.high + j), narrow(high));
    _mm_store_si128(reinterpret_cast<__m128i*>(keys.home + j), narrow(home));
  }
  *longer = more & low_bits(n);
  return true;
}

uint64_t match_words(const uint8_t* slots, const WordKeys& keys, int64_t n, int64_t* ids) {
  uint64_t differ = 0;
  for (int64_t j = 0; j < n; j += 4) {
    __m256i low, high_and_id;
    load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(slots + keys.home[j + k] * sizeof(WordSlot)); },
               &low, &high_and_id);
    const __m256i same_low = _mm256_cmpeq_epi64(low, _mm256_load_si256(reinterpret_cast<const __m256i*>(keys.low + j)));
    const __m128i high = _mm_load_si128(reinterpret_cast<const __m128i*>(keys.high + j));
    const __m128i same_high = _mm_cmpeq_epi32(narrow(high_and_id), high);
    const int same = _mm256_movemask_pd(_mm256_castsi256_pd(same_low)) & _mm_movemask_ps(_mm_castsi128_ps(same_high));
    differ |= static_cast<uint64_t>(~same & 15) << j;
    const __m256i id = _mm256_cvtepi32_epi64(narrow(_mm256_srli_epi64(high_and_id, 32)));
    const __m256i in_batch = _mm256_cmpgt_epi64(_mm256_set1_epi64x(n - j), _mm256_setr_epi64x(0, 1, 2, 3));
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(ids + j), in_batch, id);
  }
  return differ & low_bits(n);
}

void equal_strings(const StringRun& a, const StringRun& b, int64_t count, bool* out) {
  equal_listed(a, b, count, out, [](const uint8_t* p, const uint8_t* q, int64_t n) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
    return (~static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y))) & low_bits(n)) == 0;
  });
}

}  // namespace

namespace popcnt {

// Counts of whole words first, so that no loop depends on how the positions are spread. words[count] is not there to be
// read, hence the clamped index; its mask is empty.
void count_before(const uint64_t* words, int64_t count, const int32_t* positions, int64_t num_positions,
                  int32_t* prefix, int32_t* counts) {
  int32_t bits = 0;
  for (int64_t w = 0; w < count; ++w) {
    prefix[w] = bits;
    bits += popcount(words[w]);
  }
  prefix[count] = bits;
  for (int64_t k = 0; k < num_positions; ++k) {
    const auto position = static_cast<uint32_t>(positions[k]);
    const int64_t w = position / 64;
    const uint64_t word = words[w < count ? w : 0];
    counts[k] = prefix[w] + popcount(word & ~(~uint64_t{0} << (position % 64)));
  }
}

}  // namespace popcnt

const Primitives avx2_primitives = {
    "avx2",      find_byte,     find_pair, find_set,   find_codepoint_ends,  is_utf8,  find_whitespace, end_words,
    end_fields,  clamp_offsets, widen,     count_bits, popcnt::count_before, pad_rows, write_pieces,    load_word_keys,
    match_words, equal_strings};

}  // namespace stringops::simd

#pragma GCC pop_options
