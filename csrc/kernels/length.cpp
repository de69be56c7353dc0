#include "kernels/length.h"

#include "split/blocks.h"

namespace stringops::kernels {

void CodepointLength::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  BlockLengths lengths;
  read_blocks(
      in, first, last,
      [&](const Block& block, int64_t k) {
        if (!lengths.count(block, k)) return false;
        int64_t* const found = out + block.first_string;
        if (k == 0) found[0] = lengths[0];
        for (k = 1; k < block.num_strings; ++k) found[k] = lengths[k];
        return true;
      },
      [&](int64_t i, StringView string) { out[i] = (*this)(string); });
}

}  // namespace stringops::kernels
