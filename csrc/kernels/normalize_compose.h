// The functor of the normalization forms that compose code points (driver/map.h).
#pragma once

#include "core/compose.h"
#include "driver/runner.h"

namespace stringops::kernels {

struct Compose : Composition {
  static constexpr Cost kCost{20, 1};
  using Composition::Composition;
};

}  // namespace stringops::kernels
