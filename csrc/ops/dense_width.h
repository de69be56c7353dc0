// Chooses the width of dense rows that are made of ragged ones, and the side at which they are padded.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "core/row_splits.h"
#include "ops/row_splits.h"

namespace stringops {

inline Side check_side(const char* op, const std::string& side) {
  return check_choice(op, "side", side, "left", "right") ? Side::kRight : Side::kLeft;
}

// One long row among many short ones can make the dense tensor mostly padding, and larger than any memory.
inline void check_padded_size(const char* op, int64_t rows, int64_t width) {
  int64_t elements = 0;
  STRINGOPS_CHECK(!__builtin_mul_overflow(rows, width, &elements) && elements <= kMaxOffsets, op, ": padding ", rows,
                  " rows to ", width, " elements needs more than ", kMaxOffsets,
                  " (keep the rows ragged, or pass a smaller `width`)");
}

// The limits that choose_width applies if no width is given.
struct WidthLimits {
  std::optional<int64_t> max;
  int64_t min;
  int64_t multiple;
};

inline void check_width(const char* op, std::optional<int64_t> width, const WidthLimits& limits) {
  STRINGOPS_CHECK(!width || *width >= 0, op, ": expected `width` >= 0 or None, got ", width.value_or(0));
  STRINGOPS_CHECK(!width || (!limits.max && limits.min == 0 && limits.multiple == 1), op,
                  ": expected either `width` or its limits (`max_width`, `min_width`, `pad_to_multiple_of`), got both");
  STRINGOPS_CHECK(!limits.max || *limits.max >= 0, op, ": expected `max_width` >= 0 or None, got ",
                  limits.max.value_or(0));
  STRINGOPS_CHECK(limits.min >= 0, op, ": expected `min_width` >= 0, got ", limits.min);
  STRINGOPS_CHECK(!limits.max || limits.min <= *limits.max, op, ": expected `min_width` <= `max_width` (",
                  limits.max.value_or(0), "), got ", limits.min);
  STRINGOPS_CHECK(limits.multiple >= 1, op, ": expected `pad_to_multiple_of` >= 1, got ", limits.multiple);
}

inline int64_t choose_width(const RowSplits& splits, const WidthLimits& limits) {
  const int64_t longest = splits.longest_row();
  const int64_t width = std::max(limits.max ? std::min(longest, *limits.max) : longest, limits.min);
  const int64_t rest = width % limits.multiple;
  int64_t rounded = width;
  if (rest > 0 && __builtin_add_overflow(width, limits.multiple - rest, &rounded)) {
    rounded = std::numeric_limits<int64_t>::max();  // this is rejected later, like any width near it
  }
  return rounded;
}

}  // namespace stringops
