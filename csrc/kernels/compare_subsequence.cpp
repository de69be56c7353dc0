// The bit-vector algorithm of Hyyrö (2004): bit i of `open` is clear if the longest common subsequence of the text so
// far with i + 1 units of the pattern is longer than that with i units. An addition moves all boundaries to the left by
// its carries.
#include <algorithm>

#include "core/bits.h"
#include "core/poll.h"
#include "kernels/compare_edit_metrics.h"

namespace stringops::kernels {

// Removes equal ends, which a longest common subsequence has.
int64_t PairRatio::common(UnitRange a, UnitRange b) {
  const int64_t ends = trim_equal_ends(a, b);
  if (a.size() > b.size()) std::swap(a, b);
  if (a.size() == 0) return ends;
  return ends + (a.size() > kWordBits ? of_strips(a, b) : of_word(a, b));
}

// The pattern has up to 64 units.
int64_t PairRatio::of_word(UnitRange pattern, UnitRange text) {
  unit_masks_.add(pattern);
  uint64_t open = ~uint64_t{0};
  for (const uint32_t* p = text.begin; p < text.end;) {
    for (const uint32_t* const stop = poll_stop(p, text.end); p < stop; ++p) {
      const uint64_t equal = open & unit_masks_[*p];
      open = (open + equal) | (open - equal);
    }
  }
  unit_masks_.clear(pattern);
  return popcount(~open & low_bits(pattern.size()));
}

int64_t PairRatio::of_strips(UnitRange pattern, UnitRange text) {
  constexpr int64_t kStripUnits = MaskRows::kRowWords * kWordBits;
  numbers_.start(pattern, pattern_);
  carries_.assign(text.end - text.begin, 0);
  const auto size = static_cast<int64_t>(pattern_.size());
  int64_t length = 0;
  for (int64_t first = 0; first < size; first += kStripUnits) {
    const uint32_t* const units = pattern_.data() + first;
    const int64_t count = std::min(size - first, kStripUnits);
    rows_.start(numbers_.count());
    for (int64_t i = 0; i < count; ++i) rows_.set(units[i], i);
    length += of_strip(count, text);
  }
  return length;
}

int64_t PairRatio::of_strip(int64_t size, UnitRange text) {
  const int64_t words = words_for(size);
  uint64_t open[MaskRows::kRowWords];
  std::fill_n(open, words, ~uint64_t{0});
  uint8_t* carry_of = carries_.data();
  for (const uint32_t* p = text.begin; p < text.end;) {
    for (const uint32_t* const stop = poll_stop(p, text.end); p < stop; ++p, ++carry_of) {
      const uint64_t* const row = rows_.data() + rows_.row_of(numbers_.find(*p)) * MaskRows::kRowWords;
      uint64_t carry = *carry_of;
      for (int64_t w = 0; w < words; ++w) {
        const uint64_t equal = open[w] & row[w], sum = open[w] + equal, moved = sum + carry;
        carry = (sum < equal) | (moved < carry);
        open[w] = moved | (open[w] - equal);
      }
      *carry_of = static_cast<uint8_t>(carry);
    }
  }
  int64_t length = 0;
  for (int64_t w = 0; w < words; ++w) length += popcount(~open[w] & low_bits(size - w * kWordBits));
  return length;
}

}  // namespace stringops::kernels
