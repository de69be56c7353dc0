// Edit distances of many pairs, of which short ones are computed together (simd: pair_distances).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/poll.h"
#include "core/testing.h"
#include "kernels/compare_edit_pair.h"
#include "kernels/compare_edit_units.h"
#include "simd/primitives.h"

namespace stringops::kernels {

class ShortPairs {
 public:
  // Distances above `limit` become limit + 1.
  ShortPairs(bool codepoints, int64_t limit) : codepoints_(codepoints), limit_(limit) {}

  // out[i] = the distance of strings i of a and b.
  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out);

 private:
  // Strings are read until a block has so many pairs or units.
  static constexpr int64_t kBlockPairs = block_size(256, 20), kBlockUnits = block_size(1 << 16, 500);

  // The positions of the units of a string.
  struct Units {
    int64_t begin;
    int64_t end;
  };
  struct Pair {
    Units left;
    Units right;
    int64_t* out;
  };
  // Pairs whose patterns have at most `max_pattern` units.
  struct Group {
    int64_t max_pattern;
    std::vector<simd::UnitPair> pairs;
    std::vector<int64_t*> out;
  };

  int64_t read_block(const simd::StringRun& a, const simd::StringRun& b, int64_t first, int64_t last, int64_t* out);
  Units read(StringView text);
  void take(UnitRange pattern, UnitRange text, int64_t* out);
  void compute(Group& group);

  const bool codepoints_;
  const int64_t limit_;
  UnitBuffer units_;
  std::vector<Pair> pairs_;
  Group groups_[2] = {{32, {}, {}}, {64, {}, {}}};
  std::vector<int64_t> distances_;
  std::optional<PairDistance> of_long_;
  Pace pace_;
};

}  // namespace stringops::kernels
