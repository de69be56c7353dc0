// Loops over words that vector tiers share: their keys, and the search for them in hash tables. Included once by the
// file of a tier, after its target pragma and its definitions of
//
//   Vector, MM(name)        a register, and the tier's intrinsic of that name
//   Half                    a register of half that size; narrow(x): the low halves of 64-bit lanes
//   load, load_half, store, store_half    at any address; store_lanes_64    the first n lanes alone
//   load_pairs(at, &first, &last)         16 bytes at each of kLanes addresses, as 64-bit lanes
//   wide(x), pair(x, y)     a number, or two in turn, in all 64-bit lanes
//   same, high_halves
//   Lanes                   a set of 64-bit lanes: greater(x, y), equal(x, y), of vectors or halves; bits(a)
//   select(a, x, y)         the lanes of x that are in a, else those of y
#pragma once

#include <algorithm>

#include "core/bits.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

constexpr int64_t kLanes = sizeof(Vector) / 8;

// All ones in the lowest `bits` bits of each lane; shifts by 64 and more leave nothing.
inline Vector low_ones(Vector bits) {
  return ~MM(sllv_epi64)(V::wide(~uint64_t{0}), bits);
}

// nh_product of core/word_key.h.
inline Vector nh_products(Vector part, uint64_t number) {
  const Vector sum = MM(add_epi32)(part, V::wide(number));
  return MM(mul_epu32)(sum, MM(srli_epi64)(sum, 32));
}

// The sums of make_lane_key, for words of up to kLaneBytes bytes, whose first 16 are given.
inline Vector sum_parts(const uint8_t* data, Vector begin, Vector size, Vector first, Vector second,
                        const PartSeeds& seeds) {
  const Vector sixteen = V::wide(16);
  const Vector bits = MM(slli_epi64)(MM(min_epu32)(size, sixteen), 3);
  const Vector ones = low_ones(bits), more_ones = low_ones(MM(subs_epu16)(bits, V::wide(64)));
  const auto add = [&](Vector sum, int part, Vector low, Vector high) {
    sum = MM(add_epi64)(sum, nh_products(low & ones, seeds.numbers[2 * part]));
    return MM(add_epi64)(sum, nh_products(high & more_ones, seeds.numbers[2 * part + 1]));
  };
  const auto add_at = [&](Vector sum, int part, Vector position) {
    alignas(64) uint64_t positions[kLanes];
    V::store(positions, begin + position);
    Vector low, high;
    V::load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(data + positions[k]); }, &low, &high);
    return add(sum, part, low, high);
  };
  const Vector zero = V::wide(0);
  const Vector two = add_at(add(zero, 0, first, second), 1, MM(max_epu32)(size, sixteen) - sixteen);
  const V::Lanes longer = V::greater(size, V::wide(32));
  if (V::bits(longer) == 0) return two;
  // Other words read their first 16 bytes instead.
  const Vector three = add_at(two, 2, V::select(longer, sixteen, zero));
  const Vector four = add_at(three, 3, V::select(longer, size - V::wide(32), zero));
  return V::select(longer, four, two);
}

bool load_word_keys(const uint8_t* data, uint32_t last_begin, const uint32_t* begins, uint32_t* sizes, int64_t n,
                    const WordSeeds& seeds, uint64_t capacity, WordKeys& keys, LongWords* long_words) {
  const Vector limit = MM(set1_epi32)(static_cast<int>(last_begin));
  Vector last = limit;
  for (int64_t j = 0; j < WordKeys::kMaxWords; j += int64_t{sizeof(Vector) / 4}) {
    last = MM(max_epu32)(last, V::load(begins + j));
  }
  if (!V::same(last, limit)) return false;
  const HashSeed& seed = seeds.seed;
  *long_words = {};
  for (int64_t j = 0; j < n; j += kLanes) {
    Vector first, second;
    V::load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(data + begins[j + k]); }, &first, &second);
    const Vector size = MM(cvtepu32_epi64)(V::load_half(sizes + j));
    // The masks keep 0 to 8 bytes, and 0 to 3 (or 4 of a long word).
    const Vector bits = MM(slli_epi64)(MM(min_epu32)(size, V::wide(kInlineBytes + 1)), 3);
    Vector low = first & low_ones(bits), high = second & low_ones(MM(subs_epu16)(bits, V::wide(64)));
    high |= MM(slli_epi64)(bits, 21);  // the size at bit 24
    const V::Lanes longer = V::greater(size, V::wide(kInlineBytes));
    if (const uint64_t more = V::bits(longer)) {
      const Vector begin = MM(cvtepu32_epi64)(V::load_half(begins + j));
      const Vector clamped = MM(min_epu32)(size, V::wide(uint64_t{last_begin} + kKeyBytes) - begin);
      V::store_half(sizes + j, V::narrow(clamped));
      long_words->all |= more << j;
      long_words->without_key |= V::bits(V::greater(clamped, V::wide(kLaneBytes))) << j;
      const Vector lane_size = MM(min_epu32)(clamped, V::wide(kLaneBytes));
      const Vector sum = sum_parts(data, begin, lane_size, first, second, seeds.parts);
      low = V::select(longer, sum ^ MM(slli_epi64)(sum, 32), low);
      high = V::select(longer, lane_size | V::wide(kLongMark), high);
    }
    // home_slot of core/word_key.h.
    const Vector b = MM(add_epi32)(high, V::wide(seed.high));
    const Vector sum = MM(add_epi64)(nh_products(low, seed.low), MM(mul_epu32)(b, V::wide(seed.high >> 32)));
    const Vector hash = MM(mul_epu32)(sum ^ MM(srli_epi64)(sum, 32), V::wide(kHomeFactor));
    const Vector home = MM(srli_epi64)(MM(mul_epu32)(hash & V::wide(0xffffffff), V::wide(capacity)), 32);
    V::store(keys.low + j, low);
    V::store_half(keys.high + j, V::narrow(high));
    V::store_half(keys.home + j, V::narrow(home));
  }
  long_words->all &= low_bits(n);
  long_words->without_key &= low_bits(n);
  return true;
}

// Searches for a word in the four slots after its home, then in the next four ..., as it is unpredictable how far a
// search goes. Returns whether it has ended.
inline bool find_word(const uint8_t* slots, const WordKey& key, uint32_t* home, bool* found) {
  constexpr uint64_t kLowHalves = 0x55;
  const Vector zero = V::wide(0), high_half = V::wide(0xffffffff), empty = V::wide(kEmptyMark);
  const Vector wanted = V::pair(key.low, key.high);
  const Vector compared = V::pair(key.is_long() ? ~uint64_t{0} << 32 : ~uint64_t{0}, 0xffffffff);
  for (uint32_t first = *home + 1; first <= *home + kWordSteps; first += 4) {
    const uint8_t* const at = slots + uint64_t{first} * sizeof(WordSlot);
    uint64_t same = 0, free = 0;  // the low and the high half of each slot
    for (int64_t k = 0; k < 8; k += kLanes) {
      const Vector halves = V::load(at + k * 8);
      same |= V::bits(V::equal((halves ^ wanted) & compared, zero)) << k;
      free |= V::bits(V::equal((halves ^ empty) & high_half, zero)) << k;
    }
    same &= same >> 1;
    const uint64_t ended = (same | free >> 1) & kLowHalves;
    if (ended == 0) continue;
    const int at_half = first_bit(ended);
    *home = first + static_cast<uint32_t>(at_half / 2);
    *found = same >> at_half & 1;
    return true;
  }
  return false;
}

// First the home slots of all words, kLanes at a time, without a branch; then the others one by one.
WordSearch find_words(const uint8_t* slots, WordKeys& keys, int64_t n, int64_t absent_id, int64_t* ids) {
  const auto at = [&](uint64_t slot) { return slots + slot * sizeof(WordSlot); };
  const Vector others = V::wide(static_cast<uint64_t>(absent_id));
  const Half empty = V::narrow(V::wide(kEmptyMark));
  WordSearch search{0, 0};
  for (int64_t j = 0; j < n; j += kLanes) {
    Vector low, high_and_id;
    V::load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(at(keys.home[j + k])); }, &low,
                  &high_and_id);
    const Half high = V::narrow(high_and_id), key_high = V::load_half(keys.high + j);
    // Long words, and only they, have a negative `high`.
    const Vector ignored = MM(srli_epi64)(MM(cvtepi32_epi64)(key_high), 32);
    const V::Lanes found = V::both(V::equal(low | ignored, V::load(keys.low + j) | ignored), V::equal(high, key_high));
    search.found |= V::bits(found) << j;
    search.absent |= V::bits(V::equal(high, empty)) << j;
    V::store_lanes_64(ids + j, n - j, V::select(found, V::high_halves(high_and_id), others));
  }
  search.found &= low_bits(n);
  search.absent &= low_bits(n);
  for (uint64_t rest = low_bits(n) & ~(search.found | search.absent); rest; rest &= rest - 1) {
    const int j = first_bit(rest);
    bool found;
    if (!find_word(slots, {keys.low[j], keys.high[j]}, &keys.home[j], &found)) continue;
    (found ? search.found : search.absent) |= uint64_t{1} << j;
    WordSlot slot;
    std::memcpy(&slot, at(keys.home[j]), sizeof(slot));
    ids[j] = found ? slot.id : absent_id;
  }
  return search;
}

void use_word_loops(Primitives& t) {
  t.load_word_keys = load_word_keys;
  t.find_words = find_words;
}

}  // namespace
}  // namespace stringops::simd
