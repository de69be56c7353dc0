// One table a CPU tier, each filled by the file of its name. Only dispatch.cpp chooses among them.
#pragma once

#include "simd/primitives.h"

namespace stringops::simd {

extern const Primitives scalar_primitives;
extern const Primitives avx2_primitives;
extern const Primitives avx512_primitives;

// What needs POPCNT and no more; AVX2's tier and those above it share it.
namespace popcnt {
void count_before(const uint64_t* words, int64_t count, const int32_t* positions, int64_t num_positions,
                  int32_t* prefix, int32_t* counts);
}  // namespace popcnt

namespace avx512 {
void equal_strings(const StringRun& a, const StringRun& b, int64_t count, bool* out);
}  // namespace avx512

}  // namespace stringops::simd
