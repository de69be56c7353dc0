// Row splits, for the targets of the operators that convert between ragged and dense.
#pragma once

#include "core/dense_rows.h"
#include "core/row_splits.h"
#include "fuzz.h"

namespace stringops::fuzz {

struct Ragged {
  Exact<int64_t> splits;
  RowSplits rows;
  bool trusted;

  void damage(Input& in) {
    for (int64_t i = 1 + in.below(4); i > 0; --i) splits[in.below(splits.size())] = in.any<int64_t>();
  }
};

inline Ragged take_ragged(Input& in) {
  const int64_t num_rows = in.below(9);
  Ragged ragged{Exact<int64_t>(num_rows + 1), {}, false};
  const uint8_t kind = in.byte();
  int64_t at = 0;
  ragged.splits[0] = 0;
  for (int64_t r = 1; r <= num_rows; ++r) {
    const uint8_t n = in.byte();
    at += n < 240 ? n % 9 : n;
    ragged.splits[r] = at;
  }
  if (kind >= 0xE0) {
    for (int64_t i = 1 + in.below(3); i > 0; --i) ragged.splits[in.below(num_rows + 1)] = in.any<int64_t>();
  }
  const int64_t num_values = kind >= 0xF0 ? in.below(40) : at;
  ragged.rows = {ragged.splits.data(), num_rows, num_values};
  ragged.trusted = !find_bad_row_split(ragged.rows);
  return ragged;
}

struct Layout {
  DenseShape shape;
  int64_t scalar_bytes;
};

inline Layout take_layout(Input& in) {
  static constexpr int64_t kScalars[] = {1, 2, 4, 8, 16};
  const int64_t scalar = kScalars[in.below(5)], features = in.below(4);
  return {{in.below(20), scalar * features, in.flag() ? Side::kLeft : Side::kRight}, scalar};
}

}  // namespace stringops::fuzz
