#include "kernels/compare_metrics.h"

#include <algorithm>
#include <utility>

#include "core/bits.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "kernels/compare_edit_diagonals.h"

namespace stringops::kernels {

float PairJaroWinkler::operator()(UnitRange a, UnitRange b) {
  pace_.spend(a.size() + b.size());
  return std::max(a.size(), b.size()) <= kWordBits ? of_words(a, b) : of_any_size(a, b);
}

// Both strings have at most 64 units.
float PairJaroWinkler::of_words(UnitRange a, UnitRange b) {
  unit_masks_.add(a);
  const int64_t size = b.size(), reach = reach_of(a, b);
  uint64_t a_matches = 0, b_matches = 0;
  uint64_t near = low_bits(reach + 1);
  for (int64_t j = 0; j < size; ++j) {
    const uint64_t free = unit_masks_[b.begin[j]] & near & ~a_matches, first = free & -free;
    a_matches |= first;
    b_matches |= static_cast<uint64_t>(first != 0) << j;
    near = near << 1 | (j < reach ? 1 : 0);
  }
  unit_masks_.clear(a);
  int64_t moved = 0;
  uint64_t x = a_matches;
  for (uint64_t y = b_matches; y != 0; x &= x - 1, y &= y - 1) {
    if (a.begin[first_bit(x)] != b.begin[first_bit(y)]) ++moved;
  }
  return similarity(a, b, popcount(a_matches), moved);
}

// The units of each value match in order of their positions, so that two positions that only move forward find the
// matches of a value, and the time is proportional to the sizes of the strings.
float PairJaroWinkler::of_any_size(UnitRange a, UnitRange b) {
  const auto m = narrow<int32_t>(a.size()), n = narrow<int32_t>(b.size());
  const int64_t reach = reach_of(a, b);
  numbers_.start();
  first_.assign(UnitNumbers::kAbsent + 1, m);
  next_.resize(a.end - a.begin);
  Pace pace;
  for (int32_t i = m - 1; i >= 0; --i) {
    pace.spend(1);
    const uint32_t number = numbers_.add(a.begin[i]);
    if (number >= first_.size()) first_.resize(number + 1, m);
    next_[i] = first_[number];
    first_[number] = i;
  }

  is_matched_.assign(next_.size(), 0);
  matched_.clear();
  for (int32_t j = 0; j < n; ++j) {
    pace.spend(1);
    int32_t& first = first_[numbers_.find(b.begin[j])];
    while (first < m && first < j - reach) first = next_[first];
    if (first == m || first > j + reach) continue;
    is_matched_[first] = 1;
    matched_.push_back(b.begin[j]);
    first = next_[first];
  }

  int64_t moved = 0;
  const uint32_t* other = matched_.data();
  for (int32_t i = 0; i < m; ++i) {
    if (is_matched_[i] != 0 && a.begin[i] != *other++) ++moved;
  }
  return similarity(a, b, static_cast<int64_t>(matched_.size()), moved);
}

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

// Removes equal ends, which a longest common subsequence has.
int64_t PairRatio::common(UnitRange a, UnitRange b) {
  const int64_t ends = trim_equal_ends(a, b);
  if (a.size() > b.size()) std::swap(a, b);
  if (a.size() == 0) return ends;
  if (a.size() > kWordBits) return ends + of_strips(a, b);
  unit_masks_.add(a);
  const int64_t length = of_word(a.size(), b);
  unit_masks_.clear(a);
  return ends + length;
}

void PairRatio::start(UnitRange pattern) {
  pattern_units_ = pattern;
  if (pattern.size() <= kWordBits) unit_masks_.add(pattern);
}

void PairRatio::finish() {
  if (pattern_units_.size() <= kWordBits) unit_masks_.clear(pattern_units_);
}

float PairRatio::to_pattern(UnitRange text) {
  const int64_t size = pattern_units_.size();
  return size <= kWordBits ? ratio(pattern_units_, text, of_word(size, text)) : (*this)(pattern_units_, text);
}

// The pattern, of up to 64 units, has given the masks.
int64_t PairRatio::of_word(int64_t pattern_size, UnitRange text) const {
  uint64_t open = ~uint64_t{0};
  for (const uint32_t* p = text.begin; p < text.end;) {
    for (const uint32_t* const stop = poll_stop(p, text.end); p < stop; ++p) {
      const uint64_t equal = open & unit_masks_[*p];
      open = (open + equal) | (open - equal);
    }
  }
  return popcount(~open & low_bits(pattern_size));
}

int64_t PairRatio::of_strips(UnitRange pattern, UnitRange text) {
  numbers_.start(pattern, pattern_);
  rows_.start(numbers_.count());
  carries_.assign(text.end - text.begin, 0);
  const auto size = static_cast<int64_t>(pattern_.size());
  int64_t length = 0;
  for (int64_t first = 0; first < size; first += kStripUnits) {
    const uint32_t* const units = pattern_.data() + first;
    const int64_t count = std::min(size - first, kStripUnits);
    for (int64_t i = 0; i < count; ++i) rows_.set(units[i], i);
    length += of_strip(count, text);
    rows_.clear(units, units + count);
  }
  return length;
}

int64_t PairRatio::of_strip(int64_t size, UnitRange text) {
  const int64_t words = words_for(size);
  return words <= 2   ? of_words<2>(size, text)
         : words <= 4 ? of_words<4>(size, text)
                      : of_words<MaskRows::kRowWords>(size, text);
}

// Words after those of the pattern have no units, and stay as they are.
template <int64_t kWords>
int64_t PairRatio::of_words(int64_t size, UnitRange text) {
  uint64_t open[kWords];
  std::fill_n(open, kWords, ~uint64_t{0});
  uint8_t* carry_of = carries_.data();
  for (const uint32_t* p = text.begin; p < text.end;) {
    for (const uint32_t* const stop = poll_stop(p, text.end); p < stop; ++p, ++carry_of) {
      const uint64_t* const row = rows_.data() + rows_.row_of(numbers_.find(*p)) * MaskRows::kRowWords;
      uint64_t carry = *carry_of;
      for (int64_t w = 0; w < kWords; ++w) {
        const uint64_t equal = open[w] & row[w], sum = open[w] + equal, moved = sum + carry;
        carry = (sum < equal) | (moved < carry);
        open[w] = moved | (open[w] - equal);
      }
      *carry_of = static_cast<uint8_t>(carry);
    }
  }
  int64_t length = 0;
  for (int64_t w = 0; w < kWords; ++w)
    length += popcount(~open[w] & low_bits(std::max<int64_t>(size - w * kWordBits, 0)));
  return length;
}

}  // namespace stringops::kernels
