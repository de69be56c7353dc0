// Hashing of byte strings. `stable_hash` is XXH3, 64 bits: hashes and bucket ids that operators return depend on it, so
// it never changes and is equal on every machine.
//
// Functions that take a HashSeed are for hash tables only and may change between versions. A seed is random, or
// computed from the whole content of the table until hash flooding is detected (hash_flooding.h), then random.
#pragma once

#include <cstdint>
#include <random>

#include "core/xxh3.h"

namespace stringops {

inline uint64_t stable_hash(const uint8_t* bytes, int64_t n, uint64_t seed = 0) {
  return xxh3::hash(bytes, n, seed);
}

inline uint64_t seeded_hash(const uint8_t* bytes, int64_t n, uint64_t seed) {
  return xxh3::hash(bytes, n, seed);
}

// Four 32-bit numbers that select a hash function.
struct HashSeed {
  uint64_t low;
  uint64_t high;
};

inline HashSeed expand_seed(uint64_t seed) {
  return {mix(seed ^ 0x9e3779b97f4a7c15, 0xe7037ed1a0b428db), mix(seed ^ 0xd1b54a32d192ed03, 0x8ebc6af09c88c6e3)};
}

// Returns a seed that cannot be predicted, as a defense against hash flooding.
inline HashSeed random_seed() {
  std::random_device random;
  const uint64_t high = random();
  return expand_seed(high << 32 | random());
}

}  // namespace stringops
