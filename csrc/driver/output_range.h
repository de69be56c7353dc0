// The part of the result that a task of a cut writes: bytes [bytes, bytes_end) and pieces [pieces, pieces_end).
#pragma once

#include <cstdint>

namespace stringops::kernels {

struct OutputRange {
  int64_t bytes = 0, bytes_end = 0;
  int64_t pieces = 0, pieces_end = 0;

  bool is_full() const { return bytes == bytes_end && pieces == pieces_end; }
};

}  // namespace stringops::kernels
