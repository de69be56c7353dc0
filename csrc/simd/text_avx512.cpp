#ifdef __x86_64__
#include <immintrin.h>

#include <algorithm>

#include "simd/target.h"
#include "simd/tiers.h"

// GCC 12 warns of the undefined pass-through operand of its own intrinsics.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
BEGIN_TARGET(
    "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,avx512dq,bmi,bmi2,popcnt,lzcnt")

namespace stringops::simd {
namespace {

using Vector = __m512i;

constexpr uint32_t kEdge = 0x1FFFFF;  // the symbol next to the word, which no pair has

// Words whose merges are interleaved: each merge is a chain of dependent instructions.
constexpr int kWords = 4;

// Calls merge(at) with the positions of kWords words of about the same size, which take about as many merges, until
// all words had their turn; the last one fills the last call. size_of(k) <= kMaxSize is the size of word k.
template <uint32_t kMaxSize, class SizeOf, class Merge>
void merge_by_size(int64_t count, SizeOf&& size_of, Merge&& merge) {
  constexpr int64_t kSorted = 256;
  for (int64_t first = 0; first < count; first += kSorted) {
    const int64_t n = std::min(kSorted, count - first);
    uint16_t begins[kMaxSize + 2] = {};  // the first position of each size in the order of words
    for (int64_t k = 0; k < n; ++k) ++begins[size_of(first + k) + 1];
    for (uint32_t size = 0; size < kMaxSize; ++size) {
      begins[size + 1] = static_cast<uint16_t>(begins[size + 1] + begins[size]);
    }
    int64_t order[kSorted + kWords];
    for (int64_t k = 0; k < n; ++k) order[begins[size_of(first + k)]++] = first + k;
    std::fill_n(order + n, kWords, order[n - 1]);
    for (int64_t k = 0; k < n; k += kWords) merge(order + k);
  }
}

// A word that is being merged. Symbols stay in their places: `left` has those that are not merged into another one, and
// the priority of all others is kNoPair.
template <int kVectors>
struct Merging {
  static constexpr uint64_t kFirst = 16;                         // the place of the first symbol; kEdge is before it
  static constexpr uint64_t kOutside = kFirst + kMaxLongMerged;  // a place of kEdge, followed by one that nothing reads

  Vector priorities[kVectors];
  uint64_t left;
  alignas(64) uint32_t symbols[kOutside + 16];

  void start(const Merges& m, const LongWord& word) {
    const uint32_t n = std::min(word.size, uint32_t{16 * kVectors});
    left = n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
    for (int v = 0; v < kVectors; ++v) {
      const auto have = static_cast<__mmask16>(left >> 16 * v), pairs = static_cast<__mmask16>(left >> 1 >> 16 * v);
      const uint8_t* const at = word.begin + 16 * v;
      const Vector bytes = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(have, at));
      const Vector next = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(pairs, at + 1));
      const Vector none = _mm512_set1_epi32(-1), both = _mm512_or_si512(_mm512_slli_epi32(bytes, 8), next);
      _mm512_store_si512(symbols + kFirst + 16 * v, _mm512_mask_i32gather_epi32(none, have, bytes, m.byte_ids, 4));
      priorities[v] = _mm512_mask_i32gather_epi32(none, pairs, both, m.byte_pairs, 4);
    }
    symbols[kFirst - 1] = symbols[kOutside] = kEdge;
  }

  // Executes one merge, and returns 0 if there is none. There is no branch, because neither the place of a merge nor
  // its existence can be predicted. `last` is the greatest priority.
  uint32_t step(const Merges& m, uint32_t last) {
    Vector least = priorities[0];
    for (int v = 1; v < kVectors; ++v) least = _mm512_min_epu32(least, priorities[v]);
    const uint32_t best = _mm512_reduce_min_epu32(least);
    const auto merges = static_cast<uint32_t>(best >> kPairBits == 0);
    const auto made = Merges::load<uint32_t>(m.made, std::min(best, last));
    uint64_t found = 0;
    for (int v = 0; v < kVectors; ++v) {
      found |= uint64_t{_mm512_cmpeq_epi32_mask(priorities[v], _mm512_set1_epi32(static_cast<int>(best)))} << 16 * v;
    }
    const uint64_t all = -uint64_t{merges}, at = found & -found & all;
    // The symbols after it and before it; none has a bit if nothing merges.
    const uint64_t after = left & -at & ~at, merged = after & -after, rest = after ^ merged;
    const uint64_t before = left & (at - 1) & all, last_before = 63 - _lzcnt_u64(before);  // -1 without one
    const uint64_t preceding = before ^ _bzhi_u64(before, static_cast<uint32_t>(last_before));
    left ^= merged;
    symbols[kFirst + _tzcnt_u64(at) + (merges ^ 1)] = made;  // without a merge, after kOutside
    // The last symbol has no pair, even in malformed tables, so that each merge leaves fewer symbols.
    const uint32_t none = static_cast<uint32_t>(rest != 0) - 1;
    const uint32_t right = m.pairs.search(made, symbols[kFirst + _tzcnt_u64(rest)]) | none;
    const uint32_t beside = m.pairs.search(symbols[kFirst + last_before], made);
    for (int v = 0; v < kVectors; ++v) {
      const auto mask = [&](uint64_t bits) { return static_cast<__mmask16>(bits >> 16 * v); };
      Vector x = _mm512_mask_set1_epi32(priorities[v], mask(merged), -1);
      x = _mm512_mask_set1_epi32(x, mask(at), static_cast<int>(right));
      priorities[v] = _mm512_mask_set1_epi32(x, mask(preceding), static_cast<int>(beside));
    }
    return merges;
  }

  uint32_t finish(uint32_t* ids) const {
    uint32_t n = 0;
    for (int v = 0; v < kVectors; ++v) {
      const auto mask = static_cast<__mmask16>(left >> 16 * v);
      const Vector some = _mm512_load_si512(symbols + kFirst + 16 * v);
      _mm512_storeu_si512(ids + n, _mm512_maskz_compress_epi32(mask, some));
      n += static_cast<uint32_t>(__builtin_popcount(mask));
    }
    return n;
  }
};

// Writes the ids of words[w] to ids[w], which has room for whole vectors.
template <int kVectors>
void merge_four(const Merges& m, const LongWord* words, uint32_t* const* ids, uint32_t* const* counts) {
  const auto last = static_cast<uint32_t>(m.num_made - 1);
  Merging<kVectors> four[kWords];
  for (int w = 0; w < kWords; ++w) four[w].start(m, words[w]);
  static_assert(kWords == 4);  // there is no loop, because it would not be unrolled
  while ((four[0].step(m, last) | four[1].step(m, last) | four[2].step(m, last) | four[3].step(m, last)) != 0) {
  }
  for (int w = 0; w < kWords; ++w) *counts[w] = four[w].finish(ids[w]);
}

void merge_words(const Merges& m, const ShortWord* words, int64_t count, uint32_t (*ids)[16], uint32_t* counts) {
  const auto size_of = [&](int64_t k) { return std::min(words[k].size(), kMaxMerged); };
  merge_by_size<kMaxMerged>(count, size_of, [&](const int64_t* at) {
    LongWord four[kWords];
    uint32_t *four_ids[kWords], *four_counts[kWords];
    for (int w = 0; w < kWords; ++w) {
      four[w] = {reinterpret_cast<const uint8_t*>(words + at[w]), size_of(at[w])};
      four_ids[w] = ids[at[w]];
      four_counts[w] = counts + at[w];
    }
    merge_four<1>(m, four, four_ids, four_counts);
  });
}

void merge_long_words(const Merges& m, const LongWord* words, int64_t count, LongIds* ids, uint32_t* counts) {
  const auto size_of = [&](int64_t k) { return std::min(words[k].size, kMaxLongMerged); };
  merge_by_size<kMaxLongMerged>(count, size_of, [&](const int64_t* at) {
    LongWord four[kWords];
    uint32_t *four_ids[kWords], *four_counts[kWords];
    for (int w = 0; w < kWords; ++w) {
      four[w] = words[at[w]];
      four_ids[w] = ids[at[w]];
      four_counts[w] = counts + at[w];
    }
    const uint32_t most = size_of(at[kWords - 1]);
    const auto merge = most <= 32 ? merge_four<2> : most <= 48 ? merge_four<3> : merge_four<4>;
    merge(m, four, four_ids, four_counts);
  });
}

}  // namespace

void avx512_text(Primitives& t) {
  t.merge_words = merge_words;
  t.merge_long_words = merge_long_words;
}

}  // namespace stringops::simd

END_TARGET

#endif  // __x86_64__
