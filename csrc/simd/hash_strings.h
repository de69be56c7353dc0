// Hashes strings one by one.
#pragma once

#include <algorithm>
#include <array>

#include "core/hash.h"
#include "core/string_hashes.h"
#include "core/testing.h"
#include "simd/compare_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {

// Calls hash(text) for the strings in the order of their formulas in XXH3: of up to 3 bytes, 8, 16, and longer ones. In
// the order of the strings, the branches on their sizes are mispredicted, which longer strings are worth.
template <class Hash>
[[gnu::always_inline]] inline void hash_by_formula(const StringRun& strings, int64_t count, uint64_t* hashes,
                                                   const Hash& hash) {
  constexpr int64_t kBlock = block_size(256, 5);
  constexpr int64_t kMaxMean = 16;  // bytes; strings of more have several formulas
  StringView texts[kBlock];
  std::array<uint8_t, kBlock> groups[4];
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t block = std::min(kBlock, count - first);
    if (int64_t{strings.ends[first + block - 1]} - strings.begins[first] > kMaxMean * block) {
      for (int64_t i = first; i < first + block; ++i) hashes[i] = hash(string_at(strings, i));
      continue;
    }
    std::array<int64_t, 4> sizes{};
    for (int64_t i = 0; i < block; ++i) {
      texts[i] = string_at(strings, first + i);
      const int64_t n = texts[i].size();
      // Each group stores the string, and those of other formulas are overwritten.
      for (size_t g = 0; g < 4; ++g) groups[g][static_cast<size_t>(sizes[g])] = static_cast<uint8_t>(i);
      sizes[0] += n <= 3;
      sizes[1] += n > 3 && n <= 8;
      sizes[2] += n > 8 && n <= 16;
      sizes[3] += n > 16;
    }
    for (size_t g = 0; g < 4; ++g) {
      for (int64_t k = 0; k < sizes[g]; ++k) {
        const uint8_t i = groups[g][static_cast<size_t>(k)];
        hashes[first + i] = hash(texts[i]);
      }
    }
  }
}

inline void xxh3_each(const StringRun& strings, int64_t count, uint64_t seed, uint64_t* hashes) {
  hash_by_formula(strings, count, hashes, [&](StringView text) { return stable_hash(text.begin, text.size(), seed); });
}

inline void murmur3_each(const StringRun& strings, int64_t count, uint32_t seed, uint32_t* hashes) {
  const uint8_t* const readable_end = strings.data + strings.num_bytes;
  for (int64_t i = 0; i < count; ++i) hashes[i] = murmur3(string_at(strings, i), seed, readable_end);
}

inline void siphash_each(const StringRun& strings, int64_t count, SipKey key, uint64_t* hashes) {
  for (int64_t i = 0; i < count; ++i) hashes[i] = siphash(string_at(strings, i), key);
}

}  // namespace stringops::simd
