#include "simd/tiers.h"

namespace stringops::simd {

const Primitives avx512_primitives = {"avx512"};

}  // namespace stringops::simd
