#include "split/literal_blocks.h"

#include <algorithm>

#include "core/bits.h"

namespace stringops::kernels {

LiteralBlocks::LiteralBlocks(const StringSpan& in, int64_t first, int64_t last, std::string_view literal,
                             int64_t max_matches)
    : simd_(simd::primitives()),
      reader_(in, {first, 0}, {last, 0}),
      finder_(literal, simd_),
      limit_(max_matches, 0, simd_) {}

bool LiteralBlocks::next() {
  if (!reader_.next(block_)) return false;
  if (!block_.starts_inside) {
    finder_.begin_string();
    limit_.begin_string();
  }
  // A literal of one byte crosses no end of a string.
  if (finder_.length() > 1 || limit_.exists()) mark_string_starts(block_, string_starts_.data());
  finder_.find(block_, string_starts_.data(), matches_.data());
  if (limit_.exists()) limit_.drop_beyond(block_, string_starts_.data(), matches_.data(), beyond_.data());
  finder_.end_block(block_, matches_.data());
  const int64_t num_words = words_for(block_.num_bytes);
  matches_[static_cast<size_t>(num_words)] = 0;
  num_matches_ = simd_.count_bits(matches_.data(), num_words);
  return true;
}

int64_t LiteralBlocks::bytes_beyond() const {
  for (int64_t w = words_for(block_.num_bytes); w-- > 0;) {
    const uint64_t word = matches_[static_cast<size_t>(w)];
    if (word != 0) return std::max<int64_t>(w * kWordBits + last_bit(word) + finder_.length() - block_.num_bytes, 0);
  }
  return 0;
}

const int32_t* LiteralBlocks::count_strings() {
  simd_.count_before(matches_.data(), words_for(block_.num_bytes), block_.string_ends.data(), block_.num_strings,
                     prefix_.data(), counts_.data());
  return counts_.data();
}

}  // namespace stringops::kernels
