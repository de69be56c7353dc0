// The masks of the texts of a set (regex/literal_set.h).
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "regex/literal_set.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Finds texts from left to right.
class LiteralMasks {
 public:
  LiteralMasks(const LiteralSet& literals, const simd::Primitives& simd) : literals_(literals), simd_(simd) {}

  // Sets the bits of the bytes that are part of a piece, and of those that pieces end on. The blocks of a string come
  // in order.
  void split(const Block& block, uint64_t* kept, uint64_t* ends);

 private:
  const LiteralSet& literals_;
  const simd::Primitives& simd_;
  int64_t open_ = 0;  // bytes of the next block that belong to a text in this one, if the string continues
  std::array<uint64_t, words_for(kBlockBytes)> candidates_;
};

}  // namespace stringops::kernels
