// Walking strings in row-major order without a division a string. No torch here.
#pragma once

#include <cstdint>

#include "core/string_span.h"

namespace stringops {

class StringCursor {
 public:
  // Stands before string `first`; s.cols > 0.
  StringCursor(const StringSpan& s, int64_t first)
      : span_(s), at_(s.row_offsets(first / s.cols) + first % s.cols), col_(first % s.cols) {}

  // Bytes of the next string: 0 <= begin <= end <= num_bytes, always.
  ByteRange next() {
    const ByteRange range = span_.range_at(at_++);
    if (++col_ == span_.cols) {
      col_ = 0;
      ++at_;
    }
    return range;
  }

 private:
  StringSpan span_;
  const int32_t* at_;
  int64_t col_;
};

}  // namespace stringops
