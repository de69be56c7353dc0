// min_hashes, compiled for each tier: included once by its file, after the pragma of its target.
#pragma once

#include <algorithm>
#include <type_traits>

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// The number of permutations whose minima stay in registers while all values are read.
constexpr int64_t kHashLanes = 16;

inline uint64_t multiply(uint64_t factor, uint64_t value) {
#ifdef __aarch64__
  return factor * value;  // This is a product of scalars, as NEON has none of vectors.
#else
  // Two products of 32 bits replace one of 64, which tiers multiply slowly or not at all.
  return (factor & 0xffffffff) * value + ((factor >> 32) * value << 32);
#endif
}

template <class Lanes>
[[gnu::always_inline]] inline void min_hashes_of(const uint32_t* values, int64_t n, const uint64_t* factors,
                                                 const uint64_t* terms, Lanes lanes, uint64_t* minima) {
  uint64_t least[kHashLanes];
  for (int64_t k = 0; k < lanes; ++k) least[k] = minima[k];
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t value = values[i];
    for (int64_t k = 0; k < lanes; ++k) {
      least[k] = std::min(least[k], multiply(factors[k], value) + terms[k]);
    }
  }
  for (int64_t k = 0; k < lanes; ++k) minima[k] = least[k];
}

void min_hashes(const uint32_t* values, int64_t n, const uint64_t* factors, const uint64_t* terms, int64_t num_hashes,
                uint64_t* minima) {
  int64_t k = 0;
  for (; k + kHashLanes <= num_hashes; k += kHashLanes) {
    min_hashes_of(values, n, factors + k, terms + k, std::integral_constant<int64_t, kHashLanes>(), minima + k);
  }
  if (k < num_hashes) min_hashes_of(values, n, factors + k, terms + k, num_hashes - k, minima + k);
}

void use_min_hashes(Primitives& t) {
  t.min_hashes = min_hashes;
}

}  // namespace
}  // namespace stringops::simd
