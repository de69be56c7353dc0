// The masks of texts between delimiters: `"[^"\n]*"|'[^'\n]*'`, `<[^<>]+>`.
//
//   bytes    s a y ␣ " n o " | ' y e s " |      "[^"]*"|'[^']*'
//   opens    . . . . 1 . . 1 | 1 . . . 1 |
//   stops "  . . . . 1 . . 1 | 1 . . . 1 |      those of ": bytes that are not of its run, and begins of strings
//   closes " . . . . 1 . . 1 | . . . . 1 |
//   kept     . . . . 1 1 1 1 | . . . . . |
//
// Each alternative begins with a character of its own, goes on with a run, and ends with a character that is not of the
// run. So the first stop after the begin tells whether there is a match, and where it ends.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "regex/position_automaton.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class DelimitedMasks {
 public:
  // Returns nothing if the matches are others.
  static std::optional<DelimitedMasks> make(const PositionAutomaton& program, const simd::Primitives& simd);

  // Adds the bits of the matches that begin at or after `from`, where a string begins; the block has no part of a
  // string after that.
  void split(const Block& block, int64_t from, uint64_t* kept, uint64_t* ends);

 private:
  using PaddedMask = std::array<uint64_t, kBlockWords + 2>;

  struct Alternative {
    uint8_t open, close;
    CharSet others;     // what is not of the run
    bool can_be_empty;  // the run
    PaddedMask stops,
        closes;  // of the block: the bytes that are not of the run, and those of them with which it matches
  };

  explicit DelimitedMasks(const simd::Primitives& simd) : simd_(simd) {}

  const simd::Primitives& simd_;
  std::vector<Alternative> alternatives_;
  std::array<uint8_t, 256> of_byte_{};  // the alternative that begins with a byte
  PaddedMask starts_, opens_;
};

}  // namespace stringops::kernels
