// Dense rows have one width; each has the elements of a ragged row, padded or truncated. Elements are opaque bytes: any
// dtype, any number of features.
#pragma once

#include <cstdint>

namespace stringops {

// The side of a row at which it is padded or truncated.
enum class Side { kLeft, kRight };

struct DenseShape {
  int64_t width;          // elements per row
  int64_t element_bytes;  // bytes per element, all features included
  Side side;
};

}  // namespace stringops
