// Long delimiters of equal bytes, such as a line of dashes: a run of the byte holds as many as fit, one after the
// other.
#include <algorithm>
#include <array>

#include "core/bits.h"
#include "core/narrow.h"
#include "split/delimiter_finder.h"

namespace stringops::kernels {

// The end of each run that begins with a match is found once, in the mask of the bytes at which a run cannot go on:
//
//   bytes      a - - - - - | - - b      delimiter "--" (as if it were long)
//   breaks     1 0 0 0 0 0   1 0 1      other bytes, and starts of strings
//   taken      0 1 0 1 0 0   1 0 0
void DelimiterFinder::divide_runs(const Block& block, const uint64_t* string_starts, uint64_t* matches) const {
  const int64_t num_words = words_for(block.num_bytes);
  // A delimiter that begins in the block may end after it.
  const int64_t num_bytes = std::min(block.readable, block.num_bytes + length_ - 1);
  std::array<uint64_t, (kBlockBytes + kMaxBlockDelimiter) / kWordBits + 2> breaks;
  simd_.find_byte(block.data, num_bytes, static_cast<uint8_t>(delimiter_[0]), breaks.data());
  const auto words = static_cast<size_t>(words_for(num_bytes));
  for (size_t w = 0; w < words; ++w) breaks[w] = ~breaks[w];
  breaks[words] = ~uint64_t{0};
  for (int64_t w = 0; w <= num_words; ++w) breaks[static_cast<size_t>(w)] |= string_starts[w];

  std::array<uint16_t, kBlockBytes / kMaxExact> positions;
  size_t count = 0;
  int64_t next = consumed_;  // where the next delimiter may begin
  while (next < block.num_bytes) {
    int64_t w = next / kWordBits;
    uint64_t candidates = matches[w] & ~low_bits(next % kWordBits);
    while (candidates == 0 && ++w < num_words) candidates = matches[w];
    if (candidates == 0) break;
    int64_t at = w * kWordBits + first_bit(candidates);
    next = next_bit(breaks.data(), at + 1);
    for (; at + length_ <= next && at < block.num_bytes; at += length_) positions[count++] = narrow<uint16_t>(at);
  }
  std::fill_n(matches, num_words, 0);
  for (size_t i = 0; i < count; ++i) set_bit(matches, positions[i]);
  if (!saved_.save_in || !saves_positions()) return;
  saved_.save_in->push_back(narrow<uint16_t>(count));
  saved_.save_in->insert(saved_.save_in->end(), positions.begin(), positions.begin() + count);
}

}  // namespace stringops::kernels
