// The table of primitives: the only way to code that depends on the CPU. A primitive works on a whole buffer; its
// meaning is simd/scalar.cpp, and every tier gives the same bytes. No torch here.
#pragma once

namespace stringops::simd {

struct Primitives {
  const char* tier;  // "scalar", "avx2" or "avx512"
};

// The tier in force: the best that the CPU has, or the one that STRINGOPS_SIMD names.
const Primitives& primitives();

}  // namespace stringops::simd

// For tests and tools: the tiers that this CPU can run, best first, separated by commas; the one in force; and a way to
// force one (false where there is none of that name). Changing it while operators run is safe: each reads it once.
extern "C" {
__attribute__((visibility("default"))) const char* stringops_simd_tiers();
__attribute__((visibility("default"))) const char* stringops_simd_tier();
__attribute__((visibility("default"))) bool stringops_set_simd_tier(const char* name);
}
