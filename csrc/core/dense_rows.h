// Rows of one width, each holding the elements of a ragged row, padded or cut. Elements are opaque bytes: any dtype,
// any number of features. No torch here.
#pragma once

#include <cstdint>

namespace stringops {

// The side of a row at which it is padded, or cut.
enum class Side { kLeft, kRight };

struct DenseShape {
  int64_t width;          // elements a row
  int64_t element_bytes;  // bytes an element, all its features
  Side side;
};

}  // namespace stringops
