// The key of one long word, which all tiers share (simd::load_word_keys).
#pragma once

#include <algorithm>

#include "simd/key_types.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

inline void set_key(int64_t j, const WordKey& key, const HashSeed& seed, uint64_t capacity, WordKeys& keys) {
  keys.low[j] = key.low;
  keys.high[j] = key.high;
  keys.home[j] = home_slot(key, seed, capacity);
  keys.second[j] = second_hash(key, seed);
}

inline void load_long_key(const uint8_t* data, uint32_t last_begin, const uint32_t* begins, uint32_t* sizes, int64_t j,
                          const WordSeeds& seeds, uint64_t capacity, WordKeys& keys, LongWords& words) {
  const uint64_t bit = uint64_t{1} << j;
  const uint32_t size = sizes[j] = std::min(sizes[j], static_cast<uint32_t>(last_begin + kKeyBytes) - begins[j]);
  words.all |= bit;
  if (size > kMediumBytes) words.large |= bit;
  if (size > kLargeBytes) words.huge |= bit;
  if (size > kLaneBytes) words.without_key |= bit;
  set_key(j, make_lane_key(data + begins[j], size, seeds.parts), seeds.seed, capacity, keys);
}

}  // namespace
}  // namespace stringops::simd
