// The CPU tiers. Each function replaces entries of a table, by name, which holds those of the tier below. Only
// dispatch.cpp calls them.
#pragma once

#include "simd/primitives.h"

namespace stringops::simd {

void scalar_tier(Primitives& t);
void avx2_tier(Primitives& t);
void avx512_tier(Primitives& t);

}  // namespace stringops::simd
