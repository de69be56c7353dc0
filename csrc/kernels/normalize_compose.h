// The functor of the normalization forms that compose code points (driver/stable_map.h).
#pragma once

#include "core/compose.h"
#include "driver/stable_map.h"

namespace stringops::kernels {

struct Compose : Composition {
  using Driver = EditMap;
  static constexpr Cost kCost{20, 1};
  using Composition::Composition;
};

}  // namespace stringops::kernels
