// has_affix in plain C++. Every tier compiles it for itself, so that the compiler uses the tier's vectors.
//
// Included once by the file of a tier, after its target pragma.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/prefetch.h"
#include "core/testing.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// The bytes of a block are loaded first, one load after the other, so that many cache misses overlap; then all of them
// are compared in vectors.
bool has_affix(const StringRun& strings, int64_t count, const AffixStart& affix, bool* out) {
  constexpr int64_t kBlock = block_size(64, 8);
  constexpr uintptr_t kAhead = 4096;  // bytes; the processor's own prefetching ends at pages of this size
  const uint8_t* const data = strings.data;
  const int32_t* const from = affix.at_end ? strings.ends : strings.begins;
  const uint32_t size = affix.size, back = affix.at_end ? size : 0;
  const uint64_t bytes = affix.bytes, mask = affix.mask;
  const auto last = static_cast<uint32_t>(strings.num_bytes - int64_t{sizeof bytes});
  uint64_t words[kBlock];
  int32_t any_late = 0;
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t here = std::min(kBlock, count - i);
    for (int64_t k = 0; k < here; ++k) {
      const uint32_t position = static_cast<uint32_t>(from[i + k]) - back;
      prefetch(reinterpret_cast<uintptr_t>(data) + position + kAhead);
      std::memcpy(words + k, data + std::min(position, last), sizeof bytes);
    }
    const int32_t *const begins = strings.begins + i, *const ends = strings.ends + i, *const positions = from + i;
    bool* const results = out + i;
    for (int64_t k = 0; k < here; ++k) {
      const uint64_t different = (words[k] ^ bytes) & mask;
      const bool same = (static_cast<uint32_t>(different) | static_cast<uint32_t>(different >> 32)) == 0;
      const bool fits = static_cast<uint32_t>(ends[k]) - static_cast<uint32_t>(begins[k]) >= size;
      const bool late = static_cast<uint32_t>(positions[k]) - back > last;
      results[k] = static_cast<bool>(static_cast<int>(fits) & (static_cast<int>(same) | static_cast<int>(late)));
      any_late |= static_cast<int32_t>(late);
    }
  }
  return any_late == 0;
}

}  // namespace
}  // namespace stringops::simd
