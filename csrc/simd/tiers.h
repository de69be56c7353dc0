// One table a CPU tier, each filled by the file of its name. Only dispatch.cpp chooses among them.
#pragma once

#include "simd/primitives.h"

namespace stringops::simd {

extern const Primitives scalar_primitives;
extern const Primitives avx2_primitives;
extern const Primitives avx512_primitives;

}  // namespace stringops::simd
