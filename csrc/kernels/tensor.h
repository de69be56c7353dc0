// ONNX Split and SplitToSequence: copies the chunks into which an axis is divided.
#pragma once

#include <cstdint>

#include "core/copy_bytes.h"
#include "kernels/gather.h"

namespace stringops::kernels {

// A chunk of a contiguous tensor: of each of its `blocks` blocks of `block_bytes`, the `num_bytes` from `first_byte`
// on.
struct TensorChunk {
  int64_t blocks;
  int64_t block_bytes;
  int64_t first_byte;
  int64_t num_bytes;
};

inline void write_tensor_chunk(const uint8_t* in, const TensorChunk& chunk, uint8_t* out) {
  if (chunk.blocks == 0 || chunk.num_bytes == 0) return;  // an empty tensor has a null pointer
  const uint8_t* const in_end = in + chunk.blocks * chunk.block_bytes;
  const uint8_t* const out_end = out + chunk.blocks * chunk.num_bytes;
  const uint8_t* src = in + chunk.first_byte;
  for (int64_t block = 0; block < chunk.blocks; ++block, src += chunk.block_bytes, out += chunk.num_bytes) {
    copy_short(out, out_end, src, in_end, chunk.num_bytes);
  }
}

// A chunk of strings, as a selection of kernels/gather.h: of each of `blocks` blocks of `block_strings`, the
// `num_strings` from `first_string` on.
struct StringChunk {
  static constexpr bool kSingle = false, kInOrder = true;
  const StringSpan& strings;
  int64_t blocks;
  int64_t block_strings;
  int64_t first_string;
  int64_t num_strings;

  int64_t num_items() const { return blocks; }

  template <class F>
  void for_each_run(int64_t first, int64_t last, F&& f) const {
    for (int64_t block = first; block < last; ++block) {
      f(run_of(strings, block * block_strings + first_string, num_strings));
    }
  }
};

}  // namespace stringops::kernels
