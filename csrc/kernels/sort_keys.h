// The inner loops of sorting strings by keys. They have no branches on keys, as comparisons are unpredictable.
#pragma once

#include <cstdint>

namespace stringops::kernels {

// The keys of strings that are sorted, and the strings' positions, which move with them.
struct KeyedPositions {
  static constexpr int64_t kFew = 32;

  uint64_t* keys;
  int32_t* positions;

  KeyedPositions operator+(int64_t n) const { return {keys + n, positions + n}; }
};

// Divides n entries: those with keys less than `bound` are written to `less`, the others to `others`, both in order.
// Returns how many are less. `less` may be the entries themselves, or begin before them; its first n entries may be
// overwritten, and the first n of `others`.
inline int64_t divide_by_key(const KeyedPositions& entries, int64_t n, uint64_t bound, const KeyedPositions& less,
                             const KeyedPositions& others) {
  int64_t num_less = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t key = entries.keys[i];
    const int32_t position = entries.positions[i];
    // Both places are written; the next entry overwrites the wrong one.
    others.keys[i - num_less] = key;
    others.positions[i - num_less] = position;
    less.keys[num_less] = key;
    less.positions[num_less] = position;
    num_less += key < bound;
  }
  return num_less;
}

// Sorts n <= kFew entries by keys; those with equal keys keep their order. Bit i of the result: keys i - 1 and i are
// equal. Each entry is copied to the place that the number of entries before it is.
inline uint64_t sort_few(const KeyedPositions& entries, int64_t n) {
  uint64_t keys[KeyedPositions::kFew];
  int32_t positions[KeyedPositions::kFew];
  uint32_t ranks[KeyedPositions::kFew];
  for (int64_t i = 0; i < n; ++i) {
    keys[i] = entries.keys[i];
    positions[i] = entries.positions[i];
    uint32_t rank = 0;
    for (int64_t k = 0; k < i; ++k) {
      const bool before = keys[i] < keys[k];
      ranks[k] += before;
      rank += !before;
    }
    ranks[i] = rank;
  }
  for (int64_t i = 0; i < n; ++i) {
    entries.keys[ranks[i]] = keys[i];
    entries.positions[ranks[i]] = positions[i];
  }
  uint64_t equal = 0;
  for (int64_t i = 1; i < n; ++i) equal |= uint64_t{entries.keys[i - 1] == entries.keys[i]} << i;
  return equal;
}

}  // namespace stringops::kernels
