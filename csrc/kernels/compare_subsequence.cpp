// The bit-vector algorithm of Hyyrö (2004): bit i of `open` is clear if the longest common subsequence of the text so
// far with i + 1 units of the pattern is longer than that with i units. An addition moves all boundaries to the left by
// its carries.
#include "kernels/compare_subsequence.h"

#include <algorithm>

#include "core/bits.h"
#include "core/poll.h"

namespace stringops::kernels {

// Removes equal ends, which a longest common subsequence has.
int64_t PairRatio::common(UnitRange a, UnitRange b) {
  const int64_t ends = trim_equal_ends(a, b);
  if (a.size() > b.size()) std::swap(a, b);
  if (a.size() == 0) return ends;
  if (a.size() > kWordBits) return ends + of_strips(a, b);
  unit_masks_.add(a);
  const int64_t length = of_word(a.size(), b);
  unit_masks_.clear(a);
  return ends + length;
}

void PairRatio::start(UnitRange pattern) {
  pattern_units_ = pattern;
  if (pattern.size() <= kWordBits) unit_masks_.add(pattern);
}

void PairRatio::finish() {
  if (pattern_units_.size() <= kWordBits) unit_masks_.clear(pattern_units_);
}

float PairRatio::to_pattern(UnitRange text) {
  const int64_t size = pattern_units_.size();
  return size <= kWordBits ? ratio(pattern_units_, text, of_word(size, text)) : (*this)(pattern_units_, text);
}

// The pattern, of up to 64 units, has given the masks.
int64_t PairRatio::of_word(int64_t pattern_size, UnitRange text) const {
  uint64_t open = ~uint64_t{0};
  for (const uint32_t* p = text.begin; p < text.end;) {
    for (const uint32_t* const stop = poll_stop(p, text.end); p < stop; ++p) {
      const uint64_t equal = open & unit_masks_[*p];
      open = (open + equal) | (open - equal);
    }
  }
  return popcount(~open & low_bits(pattern_size));
}

int64_t PairRatio::of_strips(UnitRange pattern, UnitRange text) {
  numbers_.start(pattern, pattern_);
  rows_.start(numbers_.count());
  carries_.assign(text.end - text.begin, 0);
  const auto size = static_cast<int64_t>(pattern_.size());
  int64_t length = 0;
  for (int64_t first = 0; first < size; first += kStripUnits) {
    const uint32_t* const units = pattern_.data() + first;
    const int64_t count = std::min(size - first, kStripUnits);
    for (int64_t i = 0; i < count; ++i) rows_.set(units[i], i);
    length += of_strip(count, text);
    rows_.clear(units, units + count);
  }
  return length;
}

int64_t PairRatio::of_strip(int64_t size, UnitRange text) {
  const int64_t words = words_for(size);
  return words <= 2   ? of_words<2>(size, text)
         : words <= 4 ? of_words<4>(size, text)
                      : of_words<MaskRows::kRowWords>(size, text);
}

// Words after those of the pattern have no units, and stay as they are.
template <int64_t kWords>
int64_t PairRatio::of_words(int64_t size, UnitRange text) {
  uint64_t open[kWords];
  std::fill_n(open, kWords, ~uint64_t{0});
  uint8_t* carry_of = carries_.data();
  for (const uint32_t* p = text.begin; p < text.end;) {
    for (const uint32_t* const stop = poll_stop(p, text.end); p < stop; ++p, ++carry_of) {
      const uint64_t* const row = rows_.data() + rows_.row_of(numbers_.find(*p)) * MaskRows::kRowWords;
      uint64_t carry = *carry_of;
      for (int64_t w = 0; w < kWords; ++w) {
        const uint64_t equal = open[w] & row[w], sum = open[w] + equal, moved = sum + carry;
        carry = (sum < equal) | (moved < carry);
        open[w] = moved | (open[w] - equal);
      }
      *carry_of = static_cast<uint8_t>(carry);
    }
  }
  int64_t length = 0;
  for (int64_t w = 0; w < kWords; ++w)
    length += popcount(~open[w] & low_bits(std::max<int64_t>(size - w * kWordBits, 0)));
  return length;
}

}  // namespace stringops::kernels
