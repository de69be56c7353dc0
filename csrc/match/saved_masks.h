// The masks of the blocks of a task, which the first pass saves for the second: of each block whether it has a piece,
// and if so two masks, which take a quarter of the block's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/bits.h"
#include "split/mask_maker.h"

namespace stringops::kernels {

// The number of words that the masks of blocks of so many bytes take, about.
inline size_t saved_words(int64_t num_bytes) {
  return static_cast<size_t>(2 * words_for(num_bytes));
}

// Returns a maker that appends the masks of another one to `words`, and one that takes the masks from there.
std::unique_ptr<MaskMaker> save_masks(std::unique_ptr<MaskMaker> maker, std::vector<uint64_t>* words);
std::unique_ptr<MaskMaker> take_masks(const std::vector<uint64_t>& words);

}  // namespace stringops::kernels
