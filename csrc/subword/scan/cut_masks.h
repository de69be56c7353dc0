// Cuts of words of Unigram (subword/models/unigram_cuts.h) in one block of text after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/primitives.h"
#include "subword/models/unigram_cuts.h"

namespace stringops::kernels {

class CutMasks {
 public:
  static constexpr size_t kBlock = 64;  // bytes

  // `size` is the number of bytes of the text over which scores are summed. Long texts may have no cuts.
  CutMasks(const subword::UnigramCuts& cuts, size_t size)
      : cuts_(cuts), none_(cuts.none() || size > static_cast<size_t>(subword::UnigramCuts::kMaxExact)) {}

  // Returns the cuts among the places before the bytes of a block. There is never a cut between two letters.
  uint64_t find(const uint8_t* block, const simd::AsciiMasks& masks, uint64_t places) {
    if (none_) return 0;
    const uint64_t letters = masks.letters << 1 | letter_, beyond = masks.beyond << 1 | beyond_;
    letter_ = masks.letters >> 63;
    beyond_ = masks.beyond >> 63;
    return cuts_.find(block, places & ~(masks.letters & letters) & ~(masks.beyond | beyond));
  }

 private:
  const subword::UnigramCuts& cuts_;
  const bool none_;
  uint64_t letter_ = 0, beyond_ = 0;  // whether the byte before is one
};

}  // namespace stringops::kernels
