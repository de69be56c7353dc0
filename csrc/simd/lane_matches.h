// lane_matches, compiled for each tier: included once by its file, after the pragma of its target.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/lane_distances.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// The matches of texts and the patterns of one vector of lanes.
template <class Lane, class Tier>
class LaneMatches {
 public:
  using Lanes = LanesOf<Lane, Tier::kBytes>;
  static constexpr int64_t kLanes = Tier::kBytes / static_cast<int64_t>(sizeof(Lane));

  explicit LaneMatches(const uint8_t* bits) { pattern_sizes_ = Tier::template count_bits<Lane>(load(bits)); }

  // row(j) is the masks of unit j of the text.
  template <class Row>
  void take(int64_t text_size, const Row& row, int8_t* num_matches, int8_t* num_moved) {
    if (text_size != text_size_) start(text_size);
    Lanes used = {}, near = near_first_;  // units of the pattern that have a match, and those within reach
    for (int64_t j = 0; j < text_size; ++j) {
      const Lanes free = load(row(j)) & near & ~used;
      matches_[j] = free & -free;  // the first one
      used |= matches_[j];
      near = near + near - is_less(static_cast<Lane>(j), reach_);
    }
    const Lanes counts = Tier::template count_bits<Lane>(used);
    Lanes others = {};  // units that have no match, or one that differs from that at the same place in the pattern
    for (int64_t j = 0; j < text_size; ++j) {
      const Lanes first = used & -used & as_mask(matches_[j] != Lanes{});
      others -= as_mask((load(row(j)) & first) == Lanes{});
      used ^= first;
    }
    store(counts, num_matches);
    store(others + counts - static_cast<Lane>(text_size), num_moved);
  }

 private:
  using Signed = LanesOf<std::make_signed_t<Lane>, Tier::kBytes>;

  static Lanes load(const uint8_t* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof(lanes));
    return lanes;
  }
  static void store(Lanes lanes, int8_t* to) {
    const auto narrow = __builtin_convertvector(lanes, LanesOf<int8_t, kLanes>);
    std::memcpy(to, &narrow, sizeof(narrow));
  }
  // The mask of a comparison has all bits of a lane set or clear.
  static Lanes as_mask(Signed comparison) { return reinterpret_cast<Lanes>(comparison); }
  static Lanes is_less(Lane number, Lanes lanes) {
    return as_mask(static_cast<std::make_signed_t<Lane>>(number) < reinterpret_cast<Signed>(lanes));
  }

  // Sets the reach of a text of this size: max(m, n) / 2 - 1, or 0. Numbers are at most kMaxMatchedText.
  void start(int64_t text_size) {
    text_size_ = text_size;
    const auto size = static_cast<Lane>(text_size);
    const Lanes longer = is_less(size, pattern_sizes_), half = ((longer & pattern_sizes_) | (~longer & size)) >> 1;
    reach_ = half + as_mask(half != Lanes{});
    // Bits [0, reach], but none beyond the lane.
    near_first_ = Lanes{} + Lane{1};
    const int64_t last = std::min<int64_t>(kMaxMatchedText / 2, 8 * sizeof(Lane) - 1);
    for (int64_t i = 0; i < last; ++i) {
      const Lanes more = is_less(static_cast<Lane>(i), reach_);
      near_first_ += (near_first_ & more) + (more & Lane{1});  // doubles it, and adds 1
    }
  }

  Lanes pattern_sizes_, reach_ = {}, near_first_ = {};
  int64_t text_size_ = -1;
  Lanes matches_[kMaxMatchedText];
};

template <class Lane, class Tier>
void lane_matches_of(const PatternLanes& patterns, const TextRows& texts, int64_t count, int8_t* numbers,
                     int64_t pitch) {
  const auto* const masks = reinterpret_cast<const uint8_t*>(patterns.masks);
  const auto* const bits = reinterpret_cast<const uint8_t*>(patterns.bits);
  for (int64_t at = 0; at < PatternLanes::kRowBytes; at += Tier::kBytes) {
    LaneMatches<Lane, Tier> lanes(bits + at);
    int8_t* to = numbers + at / static_cast<int64_t>(sizeof(Lane));
    for (int64_t t = 0; t < count; ++t, to += 2 * pitch) {
      const uint16_t* const text = texts.rows + texts.begins[t];
      const auto row = [&](int64_t j) { return masks + text[j] * PatternLanes::kRowBytes + at; };
      lanes.take(texts.ends[t] - texts.begins[t], row, to, to + pitch);
    }
  }
}

template <class Tier>
void lane_matches(const PatternLanes& patterns, const TextRows& texts, int64_t count, int8_t* numbers, int64_t pitch) {
  with_lane_type(patterns,
                 [&](auto lane) { lane_matches_of<decltype(lane), Tier>(patterns, texts, count, numbers, pitch); });
}

}  // namespace
}  // namespace stringops::simd
