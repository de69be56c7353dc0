// The edit distance of two strings of any length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "kernels/compare_edit_units.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Masks of the units of a pattern of up to 64: bit i of the mask of a unit is set if it is unit i.
class UnitMasks {
 public:
  // The units of a pattern, whose mask is then direct(unit) if all_direct() and else of_slot(unit), without a branch on
  // the unit, which is unpredictable.
  void add(UnitRange pattern) {
    uint32_t all = 0;
    for (const uint32_t* p = pattern.begin; p < pattern.end; ++p) all |= *p;
    all_direct_ = all < kDirectUnits;
    for (int64_t i = 0; i < pattern.size(); ++i) {
      const uint32_t unit = pattern.begin[i];
      uint64_t* mask = direct_ + std::min(unit, kDirectUnits);
      if (!all_direct_) {
        Slot& slot = slots_[find(unit)];
        slot.unit = unit;
        mask = &slot.mask;
      }
      *mask |= uint64_t{1} << i;
    }
  }

  bool all_direct() const { return all_direct_; }
  uint64_t direct(uint32_t unit) const { return direct_[std::min(unit, kDirectUnits)]; }
  uint64_t of_slot(uint32_t unit) const { return slots_[find(unit)].mask; }

  // Removes the units of the pattern, which were added.
  void clear(UnitRange pattern) {
    for (const uint32_t* p = pattern.begin; p < pattern.end; ++p) {
      if (all_direct_) {
        direct_[*p] = 0;
      } else {
        for (uint32_t i = home_of(*p); slots_[i].mask != 0; i = next(i)) slots_[i].mask = 0;
      }
    }
  }

 private:
  static constexpr uint32_t kAreaSlots = 128, kSlots = 8 * kAreaSlots;
  struct Slot {
    uint64_t mask = 0;  // 0: the slot is empty
    uint32_t unit = 0;
  };

  // Units of one alphabet, and ASCII, have different slots.
  static uint32_t home_of(uint32_t unit) {
    const uint32_t block = unit / kAreaSlots, area = block + block / 8;
    return (area * kAreaSlots + unit % kAreaSlots) % kSlots;
  }
  static uint32_t next(uint32_t i) { return (i + 1) & (kSlots - 1); }

  // The slot of the unit, or the empty one that it would have.
  uint32_t find(uint32_t unit) const {
    uint32_t i = home_of(unit);
    while ((slots_[i].mask != 0) & (slots_[i].unit != unit)) i = next(i);
    return i;
  }

  uint64_t direct_[kDirectUnits + 1] = {};  // the last one stays empty
  bool all_direct_ = true;
  Slot slots_[kSlots];
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
  template <class MaskOf>
  static int64_t of_masks(int64_t pattern_size, UnitRange text, const MaskOf& mask_of);
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
