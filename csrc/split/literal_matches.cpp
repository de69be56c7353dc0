#include "split/literal_matches.h"

#include <algorithm>

#include "core/bits.h"

namespace stringops::kernels {

LiteralMatches::LiteralMatches(std::string_view literal, int64_t max_matches)
    : simd_(simd::primitives()), finder_(literal, simd_), limit_(max_matches, 0, simd_) {}

void LiteralMatches::find(const Block& block) {
  if (!block.starts_inside) {
    finder_.begin_string();
    limit_.begin_string();
  }
  const int64_t num_words = words_for(block.num_bytes);
  count_ = 0;
  begins_[static_cast<size_t>(num_words)] = begins_[static_cast<size_t>(num_words) + 1] = 0;
  if (finder_.find_candidates(block, begins_.data())) {
    // A literal of one byte crosses no end of a string.
    if (finder_.length() > 1 || limit_.exists()) mark_string_starts(block, string_starts_.data());
    finder_.confirm(block, string_starts_.data(), begins_.data());
    if (limit_.exists()) limit_.drop_beyond(block, string_starts_.data(), begins_.data(), beyond_.data());
    count_ = simd_.count_bits(begins_.data(), num_words);
  }
  finder_.end_block(block, begins_.data());
}

int64_t LiteralMatches::bytes_beyond(const Block& block) const {
  for (int64_t w = words_for(block.num_bytes); w-- > 0;) {
    const uint64_t word = begins_[static_cast<size_t>(w)];
    if (word != 0) return std::max<int64_t>(w * kWordBits + last_bit(word) + finder_.length() - block.num_bytes, 0);
  }
  return 0;
}

const int32_t* LiteralMatches::count_strings(const Block& block) {
  simd_.count_before(begins_.data(), words_for(block.num_bytes), block.string_ends.data(), block.num_strings,
                     prefix_.data(), counts_.data());
  return counts_.data();
}

}  // namespace stringops::kernels
