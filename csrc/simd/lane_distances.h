// lane_distances and lane_subsequences, compiled for each tier: included once by its file, after the pragma of its
// target.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

template <class Lane, int64_t kBytes>
using LanesOf [[gnu::vector_size(kBytes)]] = Lane;

// The part of a tier that primitives on lanes need: the size of a vector; the bits of y outside a mask and those of x,
// which are within it; and the count of set bits of each lane.
template <int64_t kSize>
struct PlainLanes {
  static constexpr int64_t kBytes = kSize;

  template <class Lanes>
  [[gnu::always_inline]] static Lanes merge(Lanes mask, Lanes x, Lanes y) {
    return x | (y & ~mask);
  }

  template <class Lane>
  [[gnu::always_inline]] static LanesOf<Lane, kSize> count_bits(LanesOf<Lane, kSize> x) {
    constexpr auto kOnes = static_cast<Lane>(~Lane{0});
    constexpr Lane kPairs = kOnes / 3, kQuads = kOnes / 15 * 3, kBytesOf = kOnes / 17;
    x = x - ((x >> 1) & kPairs);
    x = (x & kQuads) + ((x >> 2) & kQuads);
    x = (x + (x >> 4)) & kBytesOf;
    for (size_t shift = 8; shift < 8 * sizeof(Lane); shift *= 2) x += x >> static_cast<int>(shift);
    return x & Lane{0x7f};
  }
};

// A column of the matrix of distances between the beginnings of a text and of the pattern of each lane: bit i of `up`
// and `down` is set if the distance increases or decreases from i to i + 1 units of the pattern.
template <class Lane, class Tier>
struct LaneColumn {
  using Lanes = LanesOf<Lane, Tier::kBytes>;
  static constexpr int64_t kLanes = Tier::kBytes / static_cast<int64_t>(sizeof(Lane));

  Lanes up = ~Lanes{};
  Lanes down = {};

  // Computes the next column, for a unit of the text that occurs at `equal` (Hyyrö, 2003). A bit of `diagonal` is set
  // if the distance does not increase along the diagonal; it does not next to a decrease, so `down_next` has no other
  // bits. The complements of the increases take fewer instructions than the increases.
  [[gnu::always_inline]] void take(const uint8_t* equal_at) {
    Lanes equal;
    std::memcpy(&equal, equal_at, sizeof(equal));
    const Lanes same = (((equal & up) + up) ^ up) | equal, diagonal = same | down;
    const Lanes not_right = (same | up) & ~down, left = up & same;
    const Lanes not_up_next = not_right + not_right, down_next = left + left;
    up = Tier::merge(diagonal, down_next, not_up_next);
    down = diagonal & ~not_up_next;
  }

  // Sums the differences at `bits`.
  [[gnu::always_inline]] void finish(const uint8_t* bits_at, int8_t* differences) const {
    Lanes bits;
    std::memcpy(&bits, bits_at, sizeof(bits));
    const Lanes sums = Tier::template count_bits<Lane>(up & bits) - Tier::template count_bits<Lane>(down & bits);
    const auto narrow = __builtin_convertvector(sums, LanesOf<int8_t, kLanes>);
    std::memcpy(differences, &narrow, sizeof(narrow));
  }
};

// The longest common subsequences of the beginning of a text and those of the pattern of each lane: bit i of `open` is
// clear if that with i + 1 units of the pattern is longer than that with i units.
template <class Lane, class Tier>
struct SubsequenceColumn {
  using Lanes = LanesOf<Lane, Tier::kBytes>;
  static constexpr int64_t kLanes = Tier::kBytes / static_cast<int64_t>(sizeof(Lane));

  Lanes open = ~Lanes{};

  // Adds a unit of the text that occurs at `equal` (Hyyrö, 2004).
  [[gnu::always_inline]] void take(const uint8_t* equal_at) {
    Lanes equal;
    std::memcpy(&equal, equal_at, sizeof(equal));
    equal &= open;
    open = (open + equal) | (open - equal);
  }

  // Counts the units at `bits`.
  [[gnu::always_inline]] void finish(const uint8_t* bits_at, int8_t* lengths) const {
    Lanes bits;
    std::memcpy(&bits, bits_at, sizeof(bits));
    const auto narrow = __builtin_convertvector(Tier::template count_bits<Lane>(~open & bits), LanesOf<int8_t, kLanes>);
    std::memcpy(lengths, &narrow, sizeof(narrow));
  }
};

// Computes the columns of the parts of a row at a time, because each step waits for the one before.
template <class Column, class Tier>
void take_texts(const PatternLanes& patterns, const TextRows& texts, int64_t count, int8_t* differences,
                int64_t pitch) {
  constexpr int64_t kParts = PatternLanes::kRowBytes / Tier::kBytes;
  const auto* const masks = reinterpret_cast<const uint8_t*>(patterns.masks);
  const auto* const bits = reinterpret_cast<const uint8_t*>(patterns.bits);
  for (int64_t t = 0; t < count; ++t) {
    Column columns[kParts];
    for (int64_t j = texts.begins[t]; j < texts.ends[t]; ++j) {
      const uint8_t* equal = masks + texts.rows[j] * PatternLanes::kRowBytes;
#ifdef __aarch64__
      asm("" : "+r"(equal));  // Otherwise the compiler computes four addresses, and loads no pairs of vectors.
#endif
      for (int64_t k = 0; k < kParts; ++k) columns[k].take(equal + k * Tier::kBytes);
    }
    for (int64_t k = 0; k < kParts; ++k) {
      columns[k].finish(bits + k * Tier::kBytes, differences + t * pitch + k * Column::kLanes);
    }
  }
}

// Calls f with a number of the type of a lane.
template <class F>
void with_lane_type(const PatternLanes& patterns, F&& f) {
  if (patterns.lane_bytes == 1) return f(uint8_t{});
  if (patterns.lane_bytes == 2) return f(uint16_t{});
  if (patterns.lane_bytes == 4) return f(uint32_t{});
  f(uint64_t{});
}

template <class Tier>
void lane_distances(const PatternLanes& patterns, const TextRows& texts, int64_t count, int8_t* differences,
                    int64_t pitch) {
  with_lane_type(patterns, [&](auto lane) {
    take_texts<LaneColumn<decltype(lane), Tier>, Tier>(patterns, texts, count, differences, pitch);
  });
}

template <class Tier>
void lane_subsequences(const PatternLanes& patterns, const TextRows& texts, int64_t count, int8_t* lengths,
                       int64_t pitch) {
  with_lane_type(patterns, [&](auto lane) {
    take_texts<SubsequenceColumn<decltype(lane), Tier>, Tier>(patterns, texts, count, lengths, pitch);
  });
}

}  // namespace
}  // namespace stringops::simd
