#include "split/kept_masks.h"

#include <algorithm>

namespace stringops::kernels {

bool KeptMasks::keep(const uint64_t* kept, const uint64_t* ends, int64_t num_bytes) const {
  const int64_t words = words_for(num_bytes);
  const bool has_piece = std::any_of(kept, kept + words, [](uint64_t word) { return word != 0; });
  keep_in->push_back(static_cast<uint64_t>(has_piece));
  if (has_piece) keep_in->insert(keep_in->end(), kept, kept + words);
  if (has_piece) keep_in->insert(keep_in->end(), ends, ends + words);
  return has_piece;
}

bool KeptMasks::take(uint64_t* kept, uint64_t* ends, int64_t num_bytes) {
  uint64_t has_piece = 0;
  take_words(1, &has_piece);
  if (has_piece != 0) {
    take_words(num_bytes, kept);
    take_words(num_bytes, ends);
  } else {
    std::fill_n(kept, words_for(num_bytes), 0);
    std::fill_n(ends, words_for(num_bytes), 0);
  }
  return has_piece != 0;
}

// Zeros if there are too few (race).
void KeptMasks::take_words(int64_t num_bytes, uint64_t* out) {
  const auto words = static_cast<size_t>(words_for(num_bytes)), left = std::min(words, take_from->size() - taken_);
  std::copy_n(take_from->begin() + static_cast<int64_t>(taken_), left, out);
  std::fill(out + left, out + words, 0);
  taken_ += left;
  if (words > 0) out[words - 1] &= low_bits((num_bytes - 1) % kWordBits + 1);
}

}  // namespace stringops::kernels
