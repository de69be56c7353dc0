// Row splits of ragged rows: row r has the elements [splits[r], splits[r + 1]).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace stringops {

struct ElementRange {
  int64_t begin;
  int64_t end;
  int64_t size() const { return end - begin; }
};

// Row splits [rows + 1] over num_values elements, borrowed and checked by find_bad_row_split. They may change
// afterwards (race), so kernels read them through `row`, which clamps.
struct RowSplits {
  const int64_t* splits;
  int64_t rows;
  int64_t num_values;

  ElementRange row(int64_t r) const {
    // These are copies, because std::clamp returns a reference, which would be read again.
    const int64_t first = splits[r], last = splits[r + 1];
    const int64_t begin = std::clamp<int64_t>(first, 0, num_values);
    return {begin, std::clamp<int64_t>(last, begin, num_values)};
  }

  // Returns the length of the longest row, 0 if there are no rows.
  int64_t longest_row() const {
    int64_t longest = 0;
    for (int64_t r = 0; r < rows; ++r) longest = std::max(longest, row(r).size());
    return longest;
  }
};

// The side of a row at which it is padded or truncated.
enum class Side { kLeft, kRight };

// Dense rows have one width; each has the elements of a ragged row, padded or truncated. Elements are opaque bytes: any
// dtype, any number of features.
struct DenseShape {
  int64_t width;          // elements per row
  int64_t element_bytes;  // bytes per element, all features included
  Side side;
};

struct BadRowSplit {
  int64_t position;
  int64_t value;
  int64_t previous;  // the previous split, 0 for the first
};

// Returns the first split that is not between the previous one and num_values, or not 0 or num_values at the ends.
inline std::optional<BadRowSplit> find_bad_row_split(const RowSplits& s) {
  bool decreasing = false;  // without an exit, the loop is vectorized
  for (int64_t r = 0; r < s.rows; ++r) decreasing |= s.splits[r + 1] < s.splits[r];
  if (!decreasing && s.splits[0] == 0 && s.splits[s.rows] == s.num_values) return std::nullopt;
  int64_t previous = 0;
  for (int64_t r = 0; r <= s.rows; ++r) {
    const int64_t value = s.splits[r];
    const bool misplaced = (r == 0 && value != 0) || (r == s.rows && value != s.num_values);
    if (misplaced || value < previous) return BadRowSplit{r, value, previous};
    previous = value;
  }
  return std::nullopt;
}

}  // namespace stringops
