#include "match/literal_masks.h"

#include <algorithm>

namespace stringops::kernels {

void LiteralMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t n = block.num_bytes, words = words_for(n);
  std::fill_n(kept, words, 0);
  std::fill_n(ends, words, 0);
  int64_t from = 0;  // where the next text may begin
  const auto take = [&](int64_t begin, int64_t end) {
    from = end;
    set_bits(kept, begin, std::min(end, n));
    if (end <= n) set_bit(ends, end - 1);
  };
  if (block.starts_inside && open_ > 0) take(0, open_);
  simd_.find_prefixes(block.data, n, block.readable, literals_.prefixes(), candidates_.data());
  int64_t k = 0;
  for_each_bit(candidates_.data(), words, [&](int64_t at) {
    if (at < from) return;
    int64_t size = literals_.match(block.data + at, block.readable - at);
    if (size == 0) return;
    while (k < block.num_strings && block.end(k) <= at) ++k;
    if (k < block.num_strings && block.end(k) < at + size) {
      size = literals_.match(block.data + at, block.end(k) - at);
      if (size == 0) return;
    }
    take(at, at + size);
  });
  open_ = block.num_strings == 0 ? std::max<int64_t>(from - n, 0) : 0;
}

}  // namespace stringops::kernels
