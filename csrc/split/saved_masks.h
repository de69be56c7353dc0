// The masks of the blocks of a task, which the first pass saves for the second: of each block whether it has a piece,
// and if so two masks, which take a quarter of the block's size. If a block of the second pass is another one (race),
// its masks are arbitrary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/bits.h"

namespace stringops::kernels {

class MaskMaker;

struct SavedMasks {
  std::vector<uint64_t>* save_in = nullptr;
  const std::vector<uint64_t>* take_from = nullptr;

  static size_t words_of(int64_t num_bytes) { return static_cast<size_t>(2 * words_for(num_bytes)); }  // about
};

// Returns a maker that saves the masks of another one, or takes those that have been saved, if `maker` is null.
std::unique_ptr<MaskMaker> save_or_take(std::unique_ptr<MaskMaker> maker, const SavedMasks& saved);

}  // namespace stringops::kernels
