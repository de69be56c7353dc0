// Hashing of byte strings. `stable_hash` is XXH3, 64 bits: hashes and bucket ids that operators return depend on it, so
// it never changes and is equal on every machine.
//
// Functions that take a HashSeed are for hash tables only and may change between versions. A seed is random, or
// computed from the whole content of the table until hash flooding is detected (kernels/vocabulary_unique.cpp), then
// random.
#pragma once

#include <atomic>
#include <cstdint>
#include <random>

#include "core/lazy.h"
#include "core/string_hashes.h"
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

// Returns a seed that cannot be predicted, as a defense against hash flooding: a keyed hash of a counter, since
// std::random_device takes a microsecond.
inline HashSeed random_seed() {
  struct Source {
    SipKey key;
    std::atomic<uint64_t> count{0};
  };
  Source& source = lazy([] {
    std::random_device random;
    const auto number = [&] { return uint64_t{random()} << 32 | random(); };
    return Source{{number(), number()}};
  });
  const uint64_t count = source.count.fetch_add(1, std::memory_order_relaxed);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&count);
  return expand_seed(siphash({bytes, bytes + sizeof count}, source.key));
}

}  // namespace stringops
