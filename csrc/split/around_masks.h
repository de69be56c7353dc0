// The masks of runs around a character: `[a-z_]\w*\.[a-z_]\w*`, `\w+@[\w.]+`.
//
//   bytes     ( 1 0 . 5 ␣ a 1 . b 2 . c        [a-z]\w*\.[a-z]\w*
//   runs      . 1 1 . 1 . 1 1 . 1 1 . 1
//   kept      . . . . . . 1 1 1 1 1 . .
//
// Each match has the character once. So the next match is that of the first such character after which a match can go
// on, and before which one can begin; it has all of both runs that the match before it has left.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/char_class.h"
#include "regex/position_automaton.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class AroundMasks {
 public:
  // Returns nothing if the matches are others.
  static std::optional<AroundMasks> make(const PositionAutomaton& program, const simd::Primitives& simd);

  // Adds the bits of the matches that begin at or after `from`, where a string begins; the block has no part of a
  // string after that.
  void split(const Block& block, int64_t from, uint64_t* kept, uint64_t* ends);

 private:
  using PaddedMask = std::array<uint64_t, kBlockWords + 2>;

  // The run before the character, or after it; its first character is one of `first`, which are some of `run`.
  struct Side {
    CharSet first, run;
  };

  explicit AroundMasks(const simd::Primitives& simd) : simd_(simd) {}
  static std::optional<Side> side_of(const PositionAutomaton& program, size_t begin, size_t end);

  const simd::Primitives& simd_;
  Side before_, after_;
  uint8_t middle_ = 0;
  PaddedMask starts_, middles_, runs_before_, firsts_before_, stops_after_, firsts_after_;
};

}  // namespace stringops::kernels
