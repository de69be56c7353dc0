// The CPU tiers. Each function receives a table with the entries of the tier below and replaces some of them by name.
// Only dispatch.cpp calls them. The files of a tier are empty on other processors than its own.
#pragma once

#include "simd/primitives.h"

namespace stringops::simd {

void scalar_tier(Primitives& t);
void avx2_tier(Primitives& t);
void avx512_tier(Primitives& t);
void neon_tier(Primitives& t);

}  // namespace stringops::simd
