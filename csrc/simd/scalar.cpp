#include "simd/tiers.h"

namespace stringops::simd {

const Primitives scalar_primitives = {"scalar"};

}  // namespace stringops::simd
