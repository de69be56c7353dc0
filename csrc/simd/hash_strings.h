// Hashes strings one by one.
#pragma once

#include "core/hash.h"
#include "core/string_hashes.h"
#include "simd/compare_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {

inline void xxh3_each(const StringRun& strings, int64_t count, uint64_t seed, uint64_t* hashes) {
  for (int64_t i = 0; i < count; ++i) {
    const StringView text = string_at(strings, i);
    hashes[i] = stable_hash(text.begin, text.size(), seed);
  }
}

inline void murmur3_each(const StringRun& strings, int64_t count, uint32_t seed, uint32_t* hashes) {
  const uint8_t* const readable_end = strings.data + strings.num_bytes;
  for (int64_t i = 0; i < count; ++i) hashes[i] = murmur3(string_at(strings, i), seed, readable_end);
}

inline void siphash_each(const StringRun& strings, int64_t count, SipKey key, uint64_t* hashes) {
  for (int64_t i = 0; i < count; ++i) hashes[i] = siphash(string_at(strings, i), key);
}

}  // namespace stringops::simd
