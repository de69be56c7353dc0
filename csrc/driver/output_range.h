// The size of a task's results, and the part of the output that it writes.
#pragma once

#include <cstdint>

namespace stringops::kernels {

struct OutputSize {
  int64_t bytes = 0, pieces = 0;

  bool operator!=(const OutputSize& other) const { return bytes != other.bytes || pieces != other.pieces; }
};

// Bytes [bytes, bytes_end) and pieces [pieces, pieces_end).
struct OutputRange {
  int64_t bytes = 0, bytes_end = 0;
  int64_t pieces = 0, pieces_end = 0;

  bool is_full() const { return bytes == bytes_end && pieces == pieces_end; }
};

}  // namespace stringops::kernels
