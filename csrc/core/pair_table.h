// The merges of a subword tokenizer: pairs of symbols with their priorities, in a table without collisions, which is
// built once (subword/build/pairs.h) and nearly full, so that it stays in the cache.
//
// A pair has one slot, so a lookup is one comparison, whether the pair is there or not. Its hash selects a bucket of
// several pairs; the builder of the table tries pilots until the pairs of a bucket have free slots (PTHash, "compress,
// hash and displace"). A pilot rotates the hashes of its bucket, so that pairs of a bucket stay apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/hash.h"

namespace stringops {

// A slot has the left symbol, the right symbol and the priority, from the top. An empty slot is all ones, which no pair
// equals.
constexpr int kPairBits = 21;
constexpr uint64_t kEmptyPair = ~uint64_t{0};
constexpr uint32_t kNoPair = 1 << kPairBits;  // the priority of a pair that is not in the table

inline uint64_t pair_key(uint32_t left, uint32_t right) {
  return uint64_t{left} << kPairBits | right;
}

// Slots and pilots may be at any addresses; there are 1 to 2**32 - 1 of each. Whatever their values, nothing outside is
// read.
struct PairTable {
  const uint8_t* slots;   // uint64_t
  const uint8_t* pilots;  // uint16_t
  uint64_t num_slots, num_pilots;
  uint64_t factor;

  PairTable() = default;
  PairTable(const uint8_t* slots, uint64_t num_slots, const uint8_t* pilots, uint64_t num_pilots, const HashSeed& seed)
      : slots(slots), pilots(pilots), num_slots(num_slots), num_pilots(num_pilots), factor(seed.low | 1) {}

  // One product would fill some buckets with pairs of consecutive symbols, under most factors; hence two. The upper 32
  // bits of the second product select the bucket; the bits below the 16 that the pairs of a bucket share select the
  // slot.
  uint64_t hash(uint64_t key) const {
    const uint64_t product = key * factor;
    return (product ^ product >> 32) * factor;
  }
  uint64_t bucket(uint64_t hash) const { return (hash >> 32) * num_pilots >> 32; }
  uint64_t slot(uint64_t hash, uint16_t pilot) const {
    return uint64_t{static_cast<uint32_t>(hash >> 16) + (uint32_t{pilot} << 16)} * num_slots >> 32;
  }

  // Returns the priority of merging the symbols, both below 1 << kPairBits, or kNoPair.
  uint32_t find(uint32_t left, uint32_t right) const {
    const uint64_t key = pair_key(left, right), h = hash(key);
    uint16_t pilot;
    std::memcpy(&pilot, pilots + bucket(h) * sizeof(pilot), sizeof(pilot));
    uint64_t pair;
    std::memcpy(&pair, slots + slot(h, pilot) * sizeof(pair), sizeof(pair));
    // The priority if no bit of the key differs. No branch depends on it, so that lookups take place at the same time.
    return static_cast<uint32_t>(std::min(pair ^ key << kPairBits, uint64_t{kNoPair}));
  }
};

}  // namespace stringops
