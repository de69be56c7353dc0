// Loops over words that vector tiers share: their keys, and the search for them in hash tables. Included once by the
// file of a tier, after its target pragma and its definitions of
//
//   Vector, MM(name)        a register, and the tier's intrinsic of that name
//   Half                    a register of half that size; narrow(x): the low halves of 64-bit lanes
//   load, load_half, store, store_half    at any address; store_lanes_64    the first n lanes alone
//   load_pairs(at, &first, &last)         16 bytes at each of kLanes addresses, as 64-bit lanes
//   wide(x), pair(x, y)     a number, or two in turn, in all 64-bit lanes
//   load_bytes(at)          kLanes bytes, as 64-bit lanes
//   same, high_halves
//   Lanes                   a set of 64-bit lanes: greater(x, y), equal(x, y), of vectors or halves; bits(a)
//   select(a, x, y)         the lanes of x that are in a, else those of y
#pragma once

#include <algorithm>

#include "core/bits.h"
#include "simd/key_types.h"
#include "simd/long_keys.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

constexpr int64_t kLanes = sizeof(Vector) / 8;

// Returns all ones in the lowest `bits` bits of each lane; shifts by 64 or more leave nothing.
inline Vector low_ones(Vector bits) {
  return ~MM(sllv_epi64)(V::wide(~uint64_t{0}), bits);
}

// Same as nh_product of core/word_key.h.
inline Vector nh_products(Vector part, uint64_t number) {
  const Vector sum = MM(add_epi32)(part, V::wide(number));
  return MM(mul_epu32)(sum, MM(srli_epi64)(sum, 32));
}

// Same as scale_hash of core/word_key.h.
inline Vector scale(Vector hash, Vector count) {
  return MM(srli_epi64)(MM(mul_epu32)(hash, count), 32);
}
inline Vector scale(Vector hash, uint64_t count) {
  return scale(hash, V::wide(count));
}

// Computes the sums of make_lane_key for words of up to kLaneBytes bytes, whose first 16 are given.
inline Vector sum_parts(const uint8_t* data, Vector begin, Vector size, Vector first, Vector second,
                        const PartSeeds& seeds) {
  const Vector sixteen = V::wide(16);
  const Vector bits = MM(slli_epi64)(MM(min_epu32)(size, sixteen), 3);
  const Vector ones = low_ones(bits), more_ones = low_ones(MM(subs_epu16)(bits, V::wide(64)));
  const auto add = [&](Vector sum, int part, Vector low, Vector high) {
    sum = MM(add_epi64)(sum, nh_products(low & ones, seeds.numbers[2 * part]));
    return MM(add_epi64)(sum, nh_products(high & more_ones, seeds.numbers[2 * part + 1]));
  };
  Vector low, high;
  const auto add_at = [&](Vector sum, int part, Vector position) {
    alignas(64) uint64_t positions[kLanes];
    V::store(positions, begin + position);
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
  uint64_t all_long = 0;
  for (int64_t j = 0; j < n; j += kLanes) {
    const Vector size = MM(cvtepu32_epi64)(V::load_half(sizes + j));
    all_long |= V::bits(V::greater(size, V::wide(kInlineBytes))) << j;
  }
  all_long &= low_bits(n);
  const bool few_long = popcount(all_long) <= LongWords::kFew;
  for (int64_t j = 0; j < n; j += kLanes) {
    Vector first, second;
    V::load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(data + begins[j + k]); }, &first, &second);
    const Vector size = MM(cvtepu32_epi64)(V::load_half(sizes + j));
    // The masks keep 0 to 8 bytes, and 0 to 3 (or 4 for a long word).
    const Vector bits = MM(slli_epi64)(MM(min_epu32)(size, V::wide(kInlineBytes + 1)), 3);
    Vector low = first & low_ones(bits), high = second & low_ones(MM(subs_epu16)(bits, V::wide(64)));
    high |= MM(slli_epi64)(bits, 21);  // the size at bit 24
    if (!few_long) {
      const V::Lanes longer = V::greater(size, V::wide(kInlineBytes));
      const Vector begin = MM(cvtepu32_epi64)(V::load_half(begins + j));
      const Vector clamped = MM(min_epu32)(size, V::wide(uint64_t{last_begin} + kKeyBytes) - begin);
      V::store_half(sizes + j, V::narrow(clamped));
      if (const uint64_t large = V::bits(V::greater(clamped, V::wide(kMediumBytes)))) {
        long_words->large |= large << j;
        long_words->huge |= V::bits(V::greater(clamped, V::wide(kLargeBytes))) << j;
        long_words->without_key |= V::bits(V::greater(clamped, V::wide(kLaneBytes))) << j;
      }
      const Vector lane_size = MM(min_epu32)(clamped, V::wide(kLaneBytes));
      const Vector sum = sum_parts(data, begin, lane_size, first, second, seeds.parts);
      low = V::select(longer, sum ^ MM(slli_epi64)(sum, 32), low);
      high = V::select(longer, lane_size | V::wide(kLongMark), high);
    }
    // These are sum_key, home_slot and second_hash of core/word_key.h.
    const Vector b = MM(add_epi32)(high, V::wide(seed.high));
    const Vector sum = MM(add_epi64)(nh_products(low, seed.low), MM(mul_epu32)(b, V::wide(seed.high >> 32)));
    const Vector folded = sum ^ MM(srli_epi64)(sum, 32), product = MM(mul_epu32)(sum, V::wide(kSecondFactor));
    const Vector home = scale(MM(mul_epu32)(folded, V::wide(kHomeFactor)), capacity);
    const Vector second_hashes = product ^ MM(srli_epi64)(product ^ sum, 32);
    V::store(keys.low + j, low);
    V::store_half(keys.high + j, V::narrow(high));
    V::store_half(keys.home + j, V::narrow(home));
    V::store_half(keys.second + j, V::narrow(second_hashes));
  }
  if (few_long) {
    for (uint64_t rest = all_long; rest; rest &= rest - 1) {
      load_long_key(data, last_begin, begins, sizes, first_bit(rest), seeds, capacity, keys, *long_words);
    }
    return true;
  }
  long_words->all = all_long;
  for (uint64_t* words : {&long_words->large, &long_words->huge, &long_words->without_key}) *words &= all_long;
  return true;
}

// Works in steps over the whole batch, so that no vector is loaded right after its parts were stored.
void locate_words(const PilotedSlots& table, WordKeys& keys, int64_t n) {
  uint32_t buckets[WordKeys::kMaxWords];
  uint8_t pilots[WordKeys::kMaxWords];
  for (int64_t j = 0; j < n; j += kLanes) {
    const Vector home = MM(cvtepu32_epi64)(V::load_half(keys.home + j));
    V::store_half(buckets + j, V::narrow(scale(home, table.num_buckets)));
  }
  const int64_t padded = (n + kLanes - 1) / kLanes * kLanes;
  for (int64_t j = 0; j < padded; ++j) pilots[j] = table.pilots[buckets[j]];
  for (int64_t j = 0; j < n; j += kLanes) {
    const Vector second = MM(cvtepu32_epi64)(V::load_half(keys.second + j));
    const Vector pilot = MM(mul_epu32)(V::load_bytes(pilots + j), V::wide(kPilotFactor));
    const Vector hash = MM(mul_epu32)(second ^ pilot, V::wide(kHomeFactor));
    V::store_half(keys.slot + j, V::narrow(scale(hash, table.capacity)));
  }
}

uint64_t find_words(const uint8_t* slots, const WordKeys& keys, int64_t n, int64_t absent_id, int64_t* ids) {
  const Vector others = V::wide(static_cast<uint64_t>(absent_id));
  uint64_t all_found = 0;
  for (int64_t j = 0; j < n; j += kLanes) {
    Vector low, high_and_id;
    V::load_pairs(
        [&](int64_t k) {
          return reinterpret_cast<const __m128i*>(slots + uint64_t{keys.slot[j + k]} * sizeof(WordSlot));
        },
        &low, &high_and_id);
    const V::Lanes found =
        V::both(V::equal(low, V::load(keys.low + j)), V::equal(V::narrow(high_and_id), V::load_half(keys.high + j)));
    all_found |= V::bits(found) << j;
    V::store_lanes_64(ids + j, n - j, V::select(found, V::high_halves(high_and_id), others));
  }
  return all_found & low_bits(n);
}

void use_key_loops(Primitives& t) {
  t.load_word_keys = load_word_keys;
  t.locate_words = locate_words;
  t.find_words = find_words;
}

}  // namespace
}  // namespace stringops::simd
