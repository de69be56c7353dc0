// Whether the strings of a block are valid UTF-8.
#pragma once

#include <cstdint>

#include "core/utf8.h"
#include "kernels/driver/blocks.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Whether the block's strings from string `first` on are valid UTF-8, each by itself: the bytes are valid as a whole,
// and no string begins inside a code point.
inline bool are_utf8(const simd::Primitives& simd, const Block& block, int64_t first) {
  const int64_t begin = first > 0 ? block.string_ends[first - 1] : 0;
  if (!simd.is_utf8(block.data + begin, block.num_bytes - begin)) return false;
  for (int64_t k = first; k < block.num_strings; ++k) {
    if (block.string_ends[k] < block.num_bytes && is_continuation(block.data[block.string_ends[k]])) return false;
  }
  return true;
}

}  // namespace stringops::kernels
