// Offsets in a tensor of any strides are read in place: an expanded tensor has few of them, whatever its shape.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/offsets.h"
#include "core/string_span.h"

namespace stringops {

// Offsets [..., n + 1]. The strides are in elements; that of an expanded dimension is 0.
struct StridedOffsets {
  const int32_t* first;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  int64_t cols() const { return sizes.back() - 1; }

  // Returns one copy of the offsets that expanded dimensions repeat.
  StridedOffsets distinct() const {
    StridedOffsets result = *this;
    for (size_t d = 0; d + 1 < sizes.size(); ++d) {
      if (strides[d] == 0 && sizes[d] > 1) result.sizes[d] = 1;
    }
    return result;
  }

  // Calls f(row of offsets, index) for each row, in row-major order, until it returns false. `index` has a number for
  // each leading dimension.
  template <class F>
  void for_each_row(F&& f) const {
    const size_t rank = sizes.size() - 1;
    for (size_t d = 0; d < rank; ++d) {
      if (sizes[d] == 0) return;
    }
    std::vector<int64_t> index(rank, 0);
    const int32_t* row = first;
    while (f(row, index)) {
      size_t d = rank;
      for (; d > 0 && ++index[d - 1] == sizes[d - 1]; --d) {
        row -= (sizes[d - 1] - 1) * strides[d - 1];
        index[d - 1] = 0;
      }
      if (d == 0) return;
      row += strides[d - 1];
    }
  }
};

// Returns the first offset, in row-major order, that is negative, smaller than the previous one, or beyond num_bytes.
inline std::optional<BadOffset> find_bad_offset(const StridedOffsets& offsets, int64_t num_bytes) {
  const int64_t cols = offsets.cols(), stride = offsets.strides.back();
  std::optional<BadOffset> bad;
  offsets.distinct().for_each_row([&](const int32_t* row, const std::vector<int64_t>& index) {
    if (stride == 1 && is_valid_row(row, cols, num_bytes)) return true;
    int64_t previous = 0;
    for (int64_t c = 0; !bad && c <= (stride == 0 ? 0 : cols); ++c) {
      const int64_t value = row[c * stride];
      if (value < previous || value > num_bytes) bad = BadOffset{0, c, value, previous};
      previous = value;
    }
    if (!bad) return true;
    for (size_t d = 0; d < index.size(); ++d) bad->row = bad->row * offsets.sizes[d] + index[d];
    return false;
  });
  return bad;
}

// Whether the strings are adjacent in `data`, in row-major order, and no other bytes are in it.
inline bool is_compact(const StridedOffsets& offsets, int64_t num_bytes) {
  const int64_t last = offsets.cols() * offsets.strides.back();
  const StridedOffsets distinct = offsets.distinct();
  if (distinct.sizes != offsets.sizes) {
    // A row that is repeated begins where it ends, and the first one begins at 0.
    bool empty = num_bytes == 0;
    distinct.for_each_row([&](const int32_t* row, const std::vector<int64_t>&) {
      empty = empty && row[0] == 0 && row[last] == 0;
      return empty;
    });
    return empty;
  }
  int64_t end = 0;
  bool adjacent = true;
  offsets.for_each_row([&](const int32_t* row, const std::vector<int64_t>&) {
    adjacent = row[0] == end;
    end = row[last];
    return adjacent;
  });
  return adjacent && end == num_bytes;
}

}  // namespace stringops
