#include "simd/tiers.h"

namespace stringops::simd {

const Primitives avx2_primitives = {"avx2"};

}  // namespace stringops::simd
