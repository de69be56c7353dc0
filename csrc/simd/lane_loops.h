// Loops over 32-bit and 64-bit lanes that vector tiers share: rows of offsets, and keys of words. Included once by the
// file of a tier, after its target pragma and its definitions of
//
//   Vector, MM(name)        a register, and the tier's intrinsic of that name
//   Half                    a register of half that size; narrow(x): the low halves of 64-bit lanes
//   load, load_half, store, store_half    at any address
//   load_lanes_or, store_lanes, store_lanes_64    the first n lanes alone
//   load_pairs(at, &first, &last)         16 bytes at each of kLanes addresses, as 64-bit lanes
//   same, greater_lanes, equal_lanes, equal_lanes_32, high_halves
#pragma once

#include <algorithm>

#include "core/bits.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

constexpr int64_t kLanes = sizeof(Vector) / 8;
constexpr int64_t kLanes32 = sizeof(Vector) / 4;

// The first address after p that is aligned to a vector.
inline int32_t* next_aligned(int32_t* p) {
  return reinterpret_cast<int32_t*>((reinterpret_cast<uintptr_t>(p) | (sizeof(Vector) - 1)) + 1);
}

// Most rows are mostly padding, and a store across two cache lines costs as much as two, so all but a row's first are
// aligned. Every vector takes its ends and its padding in one load: the number of steps depends on the width alone, as
// the branches of separate loops over ends and padding cost more.
int32_t pad_rows(const int32_t* ends, int32_t begin, const int32_t* counts, int64_t num_rows, int64_t width,
                 int32_t last, int32_t* out, const int32_t* out_limit) {
  for (int64_t k = 0; k < num_rows; ++k) {
    const int64_t pieces = std::clamp<int64_t>(counts[k] - begin, 0, width);
    const int32_t* const from = ends + begin;
    *out++ = last;
    if (pieces > 0) last = from[pieces - 1];
    const Vector padding = MM(set1_epi32)(last);
    int64_t c = 0;
    if (out_limit - out >= width + kLanes32) {
      V::store(out, V::load_lanes_or(from, pieces, padding));
      for (c = next_aligned(out) - out; c < width; c += kLanes32) {
        V::store(out + c, V::load_lanes_or(from + c, pieces - c, padding));
      }
    }
    for (; c < width; c += kLanes32)
      V::store_lanes(out + c, width - c, V::load_lanes_or(from + c, pieces - c, padding));
    out += width;
    begin = counts[k];
  }
  return last;
}

bool load_word_keys(const uint8_t* data, uint32_t last_begin, const uint32_t* begins, const uint32_t* sizes, int64_t n,
                    const HashSeed& seed, uint64_t capacity, WordKeys& keys, uint64_t* longer) {
  const Vector limit = MM(set1_epi32)(static_cast<int>(last_begin));
  Vector last = limit;
  for (int64_t j = 0; j < WordKeys::kMaxWords; j += kLanes32) last = MM(max_epu32)(last, V::load(begins + j));
  if (!V::same(last, limit)) return false;
  const Vector ones = V::wide(~uint64_t{0});
  uint64_t more = 0;
  for (int64_t j = 0; j < n; j += kLanes) {
    Vector low, high;
    V::load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(data + begins[j + k]); }, &low, &high);
    const Vector size = MM(cvtepu32_epi64)(V::load_half(sizes + j));
    more |= V::greater_lanes(size, V::wide(kInlineBytes)) << j;
    // Shifts by 64 and more leave nothing, so that the masks keep 0 to 8 bytes, and 0 to 3 (or 4 of a longer word).
    const Vector bits = MM(slli_epi64)(MM(min_epu32)(size, V::wide(kInlineBytes + 1)), 3);
    low &= ~MM(sllv_epi64)(ones, bits);
    high &= ~MM(sllv_epi64)(ones, MM(subs_epu16)(bits, V::wide(64)));
    high |= MM(slli_epi64)(bits, 21);  // the size at bit 24
    // home_slot of core/word_key.h.
    const Vector a = MM(add_epi32)(low, V::wide(seed.low)), b = MM(add_epi32)(high, V::wide(seed.high));
    const Vector sum =
        MM(add_epi64)(MM(mul_epu32)(a, MM(srli_epi64)(a, 32)), MM(mul_epu32)(b, V::wide(seed.high >> 32)));
    const Vector hash = MM(mul_epu32)(sum ^ MM(srli_epi64)(sum, 32), V::wide(kHomeFactor));
    const Vector home = MM(srli_epi64)(MM(mul_epu32)(hash & V::wide(0xffffffff), V::wide(capacity)), 32);
    V::store(keys.low + j, low);
    V::store_half(keys.high + j, V::narrow(high));
    V::store_half(keys.home + j, V::narrow(home));
  }
  *longer = more & low_bits(n);
  return true;
}

uint64_t match_words(const uint8_t* slots, const WordKeys& keys, int64_t n, int64_t* ids) {
  uint64_t same = 0;
  for (int64_t j = 0; j < n; j += kLanes) {
    Vector low, high_and_id;
    V::load_pairs(
        [&](int64_t k) { return reinterpret_cast<const __m128i*>(slots + keys.home[j + k] * sizeof(WordSlot)); }, &low,
        &high_and_id);
    same |= (V::equal_lanes(low, V::load(keys.low + j)) &
             V::equal_lanes_32(V::narrow(high_and_id), V::load_half(keys.high + j)))
            << j;
    V::store_lanes_64(ids + j, n - j, V::high_halves(high_and_id));
  }
  return ~same & low_bits(n);
}

void use_lane_loops(Primitives& t) {
  t.pad_rows = pad_rows;
  t.load_word_keys = load_word_keys;
  t.match_words = match_words;
}

}  // namespace
}  // namespace stringops::simd
