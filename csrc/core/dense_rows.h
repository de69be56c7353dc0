// Rows of one width, each holding the elements of a ragged row, padded or cut. Elements are opaque bytes: any dtype,
// any number of features. No torch here.
#pragma once

#include <cstdint>
#include <cstring>

namespace stringops {

// The side of a row at which it is padded, or cut.
enum class Side { kLeft, kRight };

struct DenseShape {
  int64_t width;          // elements a row
  int64_t element_bytes;  // bytes an element, all its features
  Side side;
};

// memcpy with a null pointer is undefined even for no bytes, and empty tensors have one.
inline void copy_bytes(uint8_t* dst, const uint8_t* src, int64_t num_bytes) {
  if (num_bytes > 0) std::memcpy(dst, src, static_cast<size_t>(num_bytes));
}

}  // namespace stringops
