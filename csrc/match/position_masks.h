// The masks of the matches of a pattern whose automaton is small (regex/position_automaton.h).
//
//   bytes    s a i d ␣ s o | g o e s        [a-z]+(?:ing|ed|s)
//   [a-z]    . . . . . . .   1 1 1 .        where the rest of the string goes on to a match
//   s        1 . . . . 1 .   . . . 1
//   begins   . . . . . . .   1 1 1 .        of which those after a match has ended are taken
//
// The engine searches the strings for which masks do not serve, and its matches are kept: strings longer than a block,
// and those with code points beyond ASCII if their bytes would be counted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/bits.h"
#include "match/search_masks.h"
#include "regex/pattern.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class PositionMasks {
 public:
  // If `only_begins`, finds some pieces of each string that has a match, and none of others.
  PositionMasks(const Pattern& pattern, bool only_begins, const simd::Primitives& simd);

  // Sets the bits of the bytes that are part of a piece, and of those that pieces end on. The blocks of a string come
  // in order.
  void split(const Block& block, uint64_t* kept, uint64_t* ends);

 private:
  static constexpr int64_t kWords = words_for(kBlockBytes);
  using PaddedMask = std::array<uint64_t, kWords + 2>;

  bool find_begins(const Block& block);
  void mark_starts(const Block& block);
  void classify(const Block& block, size_t set);
  void take_matches(const Block& block, uint64_t* kept, uint64_t* ends);
  int64_t take_string(int64_t wrong, uint64_t* kept, uint64_t* ends) const;
  int64_t end_of_match(int64_t begin, int64_t stop) const;

  const PositionAutomaton& program_;
  const bool only_begins_;
  const simd::Primitives& simd_;
  std::vector<uint8_t> bytes_;           // of sets that have only one
  uint32_t known_sets_ = 0;              // in the block
  bool has_starts_ = false;              // `starts_` are the block's
  uint32_t live_ = 0;                    // nodes by which some byte of the block goes on to a match
  std::vector<PaddedMask> sets_, ways_;  // of the sets; of nodes with which no match ends
  std::vector<PaddedMask> paths_;        // of each node: the bytes that it takes in matches
  std::vector<const uint64_t*> masks_;   // of each node: the bytes from which a match goes on by it
  PaddedMask starts_, begins_, beyond_ascii_, entered_, taken_;
  SearchMasks search_;
};

}  // namespace stringops::kernels
