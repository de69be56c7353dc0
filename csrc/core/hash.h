// Hashing of byte strings. No torch here. Two uses, two promises:
//
// `stable_hash` is XXH3, 64 bits, seed 0. It is part of what operators return (bucket numbers): it never
// changes, and is equal on every machine.
//
// What takes a seed serves tables alone, and may change from version to version. A seed is random, or drawn from the
// whole content of the table, until strings fall together as no chance makes them (crowding.h); then it is random.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace stringops {

inline uint64_t stable_hash(const uint8_t* bytes, int64_t n) {
  return XXH3_64bits(bytes, static_cast<size_t>(n));
}

inline uint64_t seeded_hash(const uint8_t* bytes, int64_t n, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, static_cast<size_t>(n), seed);
}

// All 128 bits of a product, folded: every bit of both factors reaches every bit of the result.
inline uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t swap_halves(uint64_t x) {
  return x << 32 | x >> 32;
}

}  // namespace stringops
