// pair_distances, with a pair in each lane of a vector. The positions of a unit of the text in the pattern are found by
// comparing it with all units of the pattern at once; columns of the matrix are those of lane_distances.h.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"
#include "simd/lane_distances.h"

namespace stringops::simd {
namespace {

template <class Lane>
class PairsInLanes {
 public:
  static constexpr int64_t kLanes = 64 / static_cast<int64_t>(sizeof(Lane));

  // Computes the distances of up to kLanes pairs.
  void run(const UnitPair* pairs, int64_t count, int64_t* distances) {
    int64_t longest = 0;
    alignas(64) Lane sizes[kLanes] = {}, bits[kLanes] = {};
    for (int64_t k = 0; k < count; ++k) {
      const UnitPair& pair = pairs[k];
      compare(pair, k);
      sizes[k] = static_cast<Lane>(pair.text_size);
      bits[k] = static_cast<Lane>(low_bits(pair.pattern_size));
      longest = std::max(longest, pair.text_size);
    }
    LaneColumn<Lane, CountedLanes> column;
    const Vector ends = V::load(sizes);
    for (int64_t j = 0; j < longest; ++j) {
      const auto before = column;
      column.take(reinterpret_cast<const uint8_t*>(equal_[j]));
      const auto ended = less_equal(ends, static_cast<Lane>(j));
      column.up = keep(ended, before.up, column.up);
      column.down = keep(ended, before.down, column.down);
    }
    alignas(64) int8_t differences[kLanes];
    column.finish(reinterpret_cast<const uint8_t*>(bits), differences);
    for (int64_t k = 0; k < count; ++k) distances[k] = pairs[k].text_size + differences[k];
  }

 private:
  using Lanes = LanesOf<Lane, 64>;

  // Sets bit i of equal_[j][k] if unit i of the pattern is unit j of the text; bits beyond the pattern are arbitrary.
  void compare(const UnitPair& pair, int64_t k) {
    if (pair.pattern_size <= 16) return compare_parts<1>(pair, k);
    if (pair.pattern_size <= 32) return compare_parts<2>(pair, k);
    if constexpr (sizeof(Lane) == 8) compare_parts<4>(pair, k);
  }

  template <int kParts>
  void compare_parts(const UnitPair& pair, int64_t k) {
    Vector parts[kParts];
    for (int p = 0; p < kParts; ++p) {
      const auto units = static_cast<__mmask16>(low_bits(std::clamp<int64_t>(pair.pattern_size - 16 * p, 0, 16)));
      parts[p] = _mm512_maskz_loadu_epi32(units, pair.pattern + 16 * p);
    }
    for (int64_t j = 0; j < pair.text_size; ++j) {
      const Vector unit = _mm512_set1_epi32(static_cast<int>(pair.text[j]));
      Lane equal = 0;
      for (int p = 0; p < kParts; ++p) {
        equal |= static_cast<Lane>(static_cast<Lane>(_mm512_cmpeq_epi32_mask(parts[p], unit)) << 16 * p);
      }
      equal_[j][k] = equal;
    }
  }

  static auto less_equal(Vector sizes, Lane j) {
    if constexpr (sizeof(Lane) == 4) {
      return _mm512_cmple_epu32_mask(sizes, _mm512_set1_epi32(static_cast<int>(j)));
    } else {
      return _mm512_cmple_epu64_mask(sizes, V::wide(j));
    }
  }

  template <class Mask>
  static Lanes keep(Mask kept, Lanes x, Lanes y) {
    const auto a = reinterpret_cast<Vector>(x), b = reinterpret_cast<Vector>(y);
    if constexpr (sizeof(Lane) == 4) {
      return reinterpret_cast<Lanes>(_mm512_mask_blend_epi32(kept, b, a));
    } else {
      return reinterpret_cast<Lanes>(_mm512_mask_blend_epi64(kept, b, a));
    }
  }

  alignas(64) Lane equal_[UnitPair::kMaxUnits][kLanes] = {};
};

template <class Lane>
void pair_distances_of(const UnitPair* pairs, int64_t count, int64_t* distances) {
  using Pairs = PairsInLanes<Lane>;
  Pairs lanes;
  for (int64_t i = 0; i < count; i += Pairs::kLanes) {
    lanes.run(pairs + i, std::min(count - i, Pairs::kLanes), distances + i);
  }
}

void pair_distances_in_lanes(const UnitPair* pairs, int64_t count, int64_t max_pattern, int64_t* distances) {
  if (max_pattern <= 32) return pair_distances_of<uint32_t>(pairs, count, distances);
  pair_distances_of<uint64_t>(pairs, count, distances);
}

}  // namespace
}  // namespace stringops::simd
