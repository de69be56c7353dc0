// The recurrence of Lowrance and Wagner (1975) in linear space (Zhao and Sahinalp, 2019): D(i, j), the distance of i
// units of a and j units of b, is at most D(k - 1, l - 1) + (i - k) + (j - l) - 1, where k is the last row before i of
// the unit b[j] and l the last column before j of the unit a[i]. If neither k = i - 1 nor l = j - 1, substitutions are
// as good.
#include "kernels/compare_transpositions.h"

#include <utility>

#include "kernels/compare_edit_diagonals.h"

namespace stringops::kernels {

int64_t PairDamerau::operator()(UnitRange a, UnitRange b) {
  trim_equal_ends(a, b);
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit_) return beyond();
  // Two edits without transpositions do what a transposition does.
  if (limit_ <= kMaxDiagonalEdits / 2 && distance_by_diagonals(a, b, 2 * limit_, pace_) > 2 * limit_) return beyond();
  const int64_t distance = a.size() == 0 ? b.size() : of_rows(a, b);
  return distance > limit_ ? beyond() : distance;
}

int64_t PairDamerau::of_rows(UnitRange a, UnitRange b) {
  // More than any distance; strings long enough to overflow it would take years.
  constexpr int32_t kNone = INT32_MAX / 2;
  const auto m = static_cast<int32_t>(a.size()), n = static_cast<int32_t>(b.size());
  numbers_.start(b, columns_);
  last_rows_.assign(numbers_.count(), 0);
  const auto size = static_cast<size_t>(n) + 1;
  saved_.assign(size, kNone);
  row_before_.assign(size, kNone);
  row_.resize(size);
  for (int32_t j = 0; j <= n; ++j) row_[j] = j;

  // Rows and columns count from 1. saved_[j] is D(k - 1, j - 2), for the row k of b[j]. Only columns up to the limit
  // away from the diagonal can have smaller distances; those outside of them count as kNone, or j in row 0.
  const auto band = static_cast<int32_t>(std::min<int64_t>(limit_, n));
  for (int32_t i = 1; i <= m; ++i) {
    const int32_t first = std::max(i - band, 1), last = i > n - band ? n : i + band;
    pace_.spend(last - first + 1);
    row_.swap(row_before_);
    const uint32_t unit = a.begin[i - 1];
    const int32_t* const above = row_before_.data();
    int32_t* const row = row_.data();  // column j has D(i - 2, j) before it gets D(i, j)
    int32_t last_column = 0;           // l
    int32_t before_last = kNone;       // D(i - 2, l - 1)
    int32_t two_above = std::exchange(row[first - 1], first == 1 ? i : kNone);  // D(i - 2, j - 1)
    for (int32_t j = first; j <= last; ++j) {
      int32_t distance = std::min(above[j], row[j - 1]) + 1;
      if (b.begin[j - 1] == unit) {
        distance = std::min(distance, above[j - 1]);
        before_last = two_above;
        last_column = j;
        saved_[j] = j >= 2 ? above[j - 2] : kNone;
      } else {
        distance = std::min(distance, above[j - 1] + 1);
        const int32_t last_row = last_rows_[columns_[j - 1]];
        if (last_column == j - 1) {
          distance = std::min(distance, saved_[j] + i - last_row);
        } else if (last_row == i - 1) {
          distance = std::min(distance, before_last + j - last_column);
        }
      }
      two_above = std::exchange(row[j], distance);
    }
    last_rows_[numbers_.find(unit)] = i;
  }
  return row_[size - 1];
}

}  // namespace stringops::kernels
