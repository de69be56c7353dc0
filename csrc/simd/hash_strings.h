// XXH3 of strings, one by one: the reference implementation.
#pragma once

#include "core/hash.h"
#include "simd/compare_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {

inline void xxh3_each(const StringRun& strings, int64_t count, uint64_t seed, uint64_t* hashes) {
  for (int64_t i = 0; i < count; ++i) {
    const StringView text = string_at(strings, i);
    hashes[i] = stable_hash(text.begin, text.size(), seed);
  }
}

}  // namespace stringops::simd
