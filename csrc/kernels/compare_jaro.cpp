#include "kernels/compare_jaro.h"

#include "core/bits.h"
#include "core/narrow.h"

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

}  // namespace stringops::kernels
