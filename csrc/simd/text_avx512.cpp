#include <immintrin.h>

#include <algorithm>

#include "simd/text.h"

// GCC 12 warns of the undefined pass-through operand of its own intrinsics.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target( \
    "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,avx512dq,bmi,bmi2,popcnt,lzcnt")

namespace stringops::simd {
namespace {

using Vector = __m512i;

__mmask64 within(Vector x, char first, char count) {
  return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8(first)), _mm512_set1_epi8(count));
}

__mmask64 equal(Vector x, char c) {
  return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(c));
}

AsciiMasks find_ascii_masks(const uint8_t* text) {
  const Vector x = _mm512_loadu_si512(text);
  const uint64_t blanks = equal(x, ' ');
  return {within(_mm512_or_si512(x, _mm512_set1_epi8(0x20)), 'a', 26),
          within(x, '0', 10),
          within(x, 9, 5) | blanks,
          equal(x, '\n') | equal(x, '\r'),
          blanks,
          equal(x, '\''),
          _mm512_movepi8_mask(x)};
}

constexpr uint32_t kEdge = 0x1FFFFF;  // the symbol next to the word, which no pair has

// The priority of a pair: its line of eight is compared at once, without a branch, as whether a pair merges cannot be
// predicted.
uint32_t find_pair(const Merges& m, uint32_t left, uint32_t right) {
  const uint64_t key = uint64_t{left} << 21 | right;
  const Vector line = _mm512_loadu_si512(m.pairs + m.line_of(key) * 64);
  const __mmask8 hit =
      _mm512_cmpeq_epi64_mask(_mm512_srli_epi64(line, 21), _mm512_set1_epi64(static_cast<int64_t>(key)));
  const Vector found = _mm512_maskz_compress_epi64(hit, line);
  const auto priority = static_cast<uint32_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(found))) & 0x1FFFFF;
  return priority | (static_cast<uint32_t>(hit != 0) - 1);
}

// Words whose merges are interleaved: each merge is a chain of dependent instructions.
constexpr int kWords = 4;

// Symbols and the priorities of each with the next are the lanes of two vectors.
void merge_four(const Merges& m, const ShortWord* const* words, uint32_t (*const* ids)[16], uint32_t* const* counts) {
  const Vector edges = _mm512_set1_epi32(kEdge), none = _mm512_set1_epi32(-1);
  const auto last = static_cast<uint32_t>(m.num_made - 1);
  Vector symbols[kWords], priorities[kWords];
  uint32_t sizes[kWords];
  alignas(64) uint32_t around[kWords][48];  // the symbols, with an edge on either side
  for (int w = 0; w < kWords; ++w) {
    const uint32_t n = sizes[w] = std::min(words[w]->size(), kMaxMerged);
    const auto have = static_cast<__mmask16>((1u << n) - 1), pairs = static_cast<__mmask16>(have >> 1);
    const __m128i word = _mm_set_epi64x(static_cast<int64_t>(words[w]->high), static_cast<int64_t>(words[w]->low));
    const Vector bytes = _mm512_cvtepu8_epi32(word);
    const Vector next = _mm512_maskz_compress_epi32(0xFFFE, bytes);
    symbols[w] = _mm512_mask_i32gather_epi32(edges, have, bytes, m.byte_ids, 4);
    priorities[w] =
        _mm512_mask_i32gather_epi32(none, pairs, _mm512_or_si512(_mm512_slli_epi32(bytes, 8), next), m.byte_pairs, 4);
    around[w][15] = around[w][32] = kEdge;
  }
  while (true) {
    uint32_t any = 0;
#pragma GCC unroll 4
    for (int w = 0; w < kWords; ++w) {
      const uint32_t best = _mm512_reduce_min_epu32(priorities[w]);
      // A word of one symbol has no pair, except in a malformed table.
      const auto merges = static_cast<uint32_t>(best != kNoPair) & static_cast<uint32_t>(sizes[w] > 1);
      any |= merges;
      const auto made = Merges::load<uint32_t>(m.made, std::min(best, last));
      const uint32_t found = _mm512_cmpeq_epi32_mask(priorities[w], _mm512_set1_epi32(static_cast<int>(best)));
      const uint32_t at = found & -found & -merges;  // the bit of the leftmost one; 0 if nothing merges
      const auto i = static_cast<uint32_t>(__builtin_ctz(at | 0x8000));
      const Vector with_made = _mm512_mask_set1_epi32(symbols[w], static_cast<__mmask16>(at), static_cast<int>(made));
      symbols[w] = _mm512_mask_compress_epi32(edges, static_cast<__mmask16>(~(at << 1)), with_made);
      _mm512_store_si512(around[w] + 16, symbols[w]);
      sizes[w] -= merges;
      const uint32_t right = find_pair(m, made, around[w][17 + i]), left = find_pair(m, around[w][15 + i], made);
      const Vector rest = _mm512_mask_compress_epi32(none, static_cast<__mmask16>(~at), priorities[w]);
      priorities[w] =
          _mm512_mask_set1_epi32(_mm512_mask_set1_epi32(rest, static_cast<__mmask16>(at), static_cast<int>(right)),
                                 static_cast<__mmask16>(at >> 1), static_cast<int>(left));
    }
    if (any == 0) break;
  }
  for (int w = 0; w < kWords; ++w) {
    _mm512_storeu_si512(*ids[w], symbols[w]);
    *counts[w] = sizes[w];
  }
}

void merge_words(const Merges& m, const ShortWord* words, int64_t count, uint32_t (*ids)[16], uint32_t* counts) {
  for (int64_t k = 0; k < count; k += kWords) {
    const ShortWord* four[kWords];
    uint32_t (*four_ids[kWords])[16];
    uint32_t* four_counts[kWords];
    for (int w = 0; w < kWords; ++w) {
      const int64_t at = std::min(k + w, count - 1);
      four[w] = words + at;
      four_ids[w] = ids + at;
      four_counts[w] = counts + at;
    }
    merge_four(m, four, four_ids, four_counts);
  }
}

}  // namespace

void avx512_text(TextPrimitives& t) {
  t.find_ascii_masks = find_ascii_masks;
  t.merge_words = merge_words;
}

}  // namespace stringops::simd

#pragma GCC pop_options
