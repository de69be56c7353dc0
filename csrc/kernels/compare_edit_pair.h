// The edit distance of two strings of any length.
#pragma once

#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "kernels/compare_edit_units.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Masks of the units of a pattern of up to 64: bit i of the mask of a unit is set if it is unit i.
class UnitMasks {
 public:
  void add(uint32_t unit, int64_t i) {
    (unit < kDirectUnits ? direct_[unit] : taken_slot(unit).mask) |= uint64_t{1} << i;
  }

  uint64_t operator[](uint32_t unit) const { return unit < kDirectUnits ? direct_[unit] : slots_[find(unit)].mask; }

  void add(UnitRange pattern) {
    for (int64_t i = 0; i < pattern.size(); ++i) add(pattern.begin[i], i);
  }

  // Removes the units, which are those that were added.
  void clear(UnitRange pattern) {
    for (const uint32_t* p = pattern.begin; p < pattern.end; ++p) {
      if (*p < kDirectUnits) direct_[*p] = 0;
    }
    while (num_taken_ > 0) slots_[taken_[--num_taken_]].mask = 0;
  }

 private:
  static constexpr uint32_t kSlots = 128;  // at most half of them are taken
  struct Slot {
    uint64_t mask = 0;  // 0: the slot is empty
    uint32_t unit = 0;
  };

  // The slot of the unit, or the empty one that it would have.
  uint32_t find(uint32_t unit) const {
    uint32_t i = unit * 0x9e3779b1u >> 7 & (kSlots - 1);
    while (slots_[i].mask != 0 && slots_[i].unit != unit) i = (i + 1) & (kSlots - 1);
    return i;
  }

  Slot& taken_slot(uint32_t unit) {
    const uint32_t i = find(unit);
    if (slots_[i].mask == 0) {
      slots_[i].unit = unit;
      taken_[num_taken_++] = static_cast<uint8_t>(i);
    }
    return slots_[i];
  }

  uint64_t direct_[kDirectUnits] = {};
  Slot slots_[kSlots];
  uint8_t taken_[kSlots / 2];
  int64_t num_taken_ = 0;
};

// Keeps its tables from pair to pair.
class PairDistance {
 public:
  // Distances above `limit` become limit + 1.
  explicit PairDistance(int64_t limit) : limit_(limit) {}

  int64_t operator()(UnitRange a, UnitRange b);

  // Computes the distances of a pattern to many texts; its masks are made once. No other pair may come between; the
  // pattern's units must stay.
  void start(UnitRange pattern);
  int64_t to_pattern(UnitRange text);

 private:
  int64_t limited(int64_t distance) const { return distance > limit_ ? limit_ + 1 : distance; }
  int64_t of_word(int64_t pattern_size, UnitRange text) const;
  int64_t of_strips(UnitRange pattern, UnitRange text);
  int64_t in_band(int64_t max_distance);
  void take_columns(int64_t begin, int64_t end, uint64_t* up, uint64_t* down, int64_t num_words);
  int64_t least_distance(int64_t begin, int64_t end, int64_t distance) const;

  const int64_t limit_;
  UnitMasks unit_masks_;
  UnitRange pattern_units_{};

  // The state of strips: the numbers of the units, and how the distance changes from one unit of the text to the next.
  UnitNumbers numbers_;
  std::vector<uint32_t> pattern_, text_;
  MaskRows rows_;
  std::vector<uint8_t> edges_;
  Pace pace_;
};

}  // namespace stringops::kernels
