// Myers' bit-vector algorithm (Hyyrö, 2003): bit i of `up` and `down` is set if the distance increases or decreases
// from unit i - 1 to unit i of the pattern, and a unit of the text takes a few operations on whole words.
#include "kernels/compare_edit_pair.h"

#include <algorithm>

#include "core/bits.h"
#include "core/poll.h"
#include "core/testing.h"
#include "kernels/compare_edit_diagonals.h"

namespace stringops::kernels {
namespace {

using Strip = simd::DistanceStrip;

// Columns of the text whose rows are looked up at once.
constexpr int64_t kMaxColumns = block_size(1024, 24);
// The primitive reads this many numbers of rows before and after those of the columns.
constexpr int64_t kRowsAround = 8;

// Bits of an edge, and what it adds to the distance.
constexpr uint8_t kUp = 1;
constexpr int difference(uint8_t edge) {
  return (edge & 1) - (edge >> 1);
}

int64_t sum_differences(const uint8_t* first, const uint8_t* last) {
  int64_t sum = 0;
  while (first < last) {
    int part = 0;
    const uint8_t* const end = first + std::min<int64_t>(last - first, 1 << 20);
    for (; first < end; ++first) part += difference(*first);
    sum += part;
  }
  return sum;
}

}  // namespace

int64_t PairDistance::operator()(UnitRange a, UnitRange b) {
  trim_equal_ends(a, b);
  if (a.size() > b.size()) std::swap(a, b);
  // The distance is at least the difference of the sizes.
  if (b.size() - a.size() > limit_) return limit_ + 1;
  if (a.size() == 0) return b.size();
  if (limit_ <= (a.size() > kWordBits ? kMaxDiagonalEdits : kFewEdits)) {
    return distance_by_diagonals(a, b, std::min(limit_, b.size()), pace_);
  }
  if (a.size() > kWordBits) return limited(of_strips(a, b));
  unit_masks_.add(a);
  const int64_t distance = of_word(a.size(), b);
  unit_masks_.clear(a);
  return limited(distance);
}

void PairDistance::start(UnitRange pattern) {
  pattern_units_ = pattern;
  if (pattern.size() <= kWordBits) unit_masks_.add(pattern);
}

void PairDistance::finish() {
  if (pattern_units_.size() <= kWordBits) unit_masks_.clear(pattern_units_);
}

int64_t PairDistance::to_pattern(UnitRange text) {
  const int64_t size = pattern_units_.size();
  if (size == 0 || size > kWordBits) return (*this)(pattern_units_, text);
  if (std::abs(size - text.size()) > limit_) return limit_ + 1;
  return limited(of_word(size, text));
}

// The pattern, of up to 64 units, has given the masks.
int64_t PairDistance::of_word(int64_t pattern_size, UnitRange text) const {
  uint64_t up = ~uint64_t{0}, down = 0;
  for (const uint32_t* p = text.begin; p < text.end;) {
    for (const uint32_t* const stop = poll_stop(p, text.end); p < stop; ++p) {
      const uint64_t equal = unit_masks_[*p];
      const uint64_t diagonal = (((equal & up) + up) ^ up) | equal | down;
      const uint64_t right = down | ~(diagonal | up), left = up & diagonal;
      const uint64_t up_next = right << 1 | 1, down_next = left << 1;
      up = down_next | ~(diagonal | up_next);
      down = up_next & diagonal;
    }
  }
  // The distance of the whole text to no unit of the pattern, and the differences from there to all of its units.
  const uint64_t units = low_bits(pattern_size);
  return text.size() + popcount(up & units) - popcount(down & units);
}

// Works in bands that widen until they hold the distance, so that the time is proportional to the distance times the
// size.
int64_t PairDistance::of_strips(UnitRange pattern, UnitRange text) {
  numbers_.start(pattern, pattern_);
  text_.clear();
  for (const uint32_t* p = text.begin; p < text.end; ++p) text_.push_back(numbers_.find(*p));
  rows_.start(numbers_.count());

  // A few strips that are not similar would take longer in bands.
  constexpr int64_t kFirstBand = block_size(64, 3), kMinBanded = block_size(1024, 80);
  const int64_t widest = std::min(limit_, text.size());
  for (int64_t max_distance = text.size() > kMinBanded ? kFirstBand : widest;; max_distance *= 2) {
    if (max_distance > widest / 4) max_distance = widest;
    const int64_t distance = in_band(max_distance);
    if (distance <= max_distance || max_distance == widest) return distance;
  }
}

// Returns the distance if it is at most max_distance, else any greater number. At unit i of the pattern and j of the
// text, a distance of that size requires |i - j| + |(m - i) - (n - j)| <= max_distance for sizes m <= n (Ukkonen,
// 1985). Each strip of the pattern processes the columns of the text that have such units; distances before them are
// too large by some edits, those of a longer path.
int64_t PairDistance::in_band(int64_t max_distance) {
  const auto m = static_cast<int64_t>(pattern_.size()), n = static_cast<int64_t>(text_.size());
  if (n - m > max_distance) return max_distance + 1;
  const int64_t before = (max_distance - (n - m)) / 2, after = n - m + before;
  edges_.assign(text_.size(), kUp);
  int64_t distance = 0;  // at the beginning of the strip and of its first column
  for (int64_t first = 0, begin = 0;; first += Strip::kUnits) {
    const int64_t size = std::min(m - first, Strip::kUnits), end = std::min(n, first + size + after);
    const int64_t next_begin = std::max<int64_t>(0, first - before);
    distance += sum_differences(&edges_[begin], &edges_[next_begin]);
    begin = next_begin;

    const uint32_t* const units = pattern_.data() + first;
    for (int64_t i = 0; i < size; ++i) rows_.set(units[i], i);
    uint64_t up[Strip::kWords], down[Strip::kWords];
    std::fill_n(up, Strip::kWords, ~uint64_t{0});
    std::fill_n(down, Strip::kWords, 0);
    const bool is_last = first + size == m;
    if (is_last) distance += sum_differences(edges_.data() + begin, edges_.data() + end);
    take_columns(begin, end, up, down, words_for(size));
    rows_.clear(units, units + size);
    if (is_last) {
      for (int64_t i = 0; i < words_for(size); ++i) {
        const uint64_t bits = low_bits(size - i * kWordBits);
        distance += popcount(up[i] & bits) - popcount(down[i] & bits);
      }
      return distance;
    }
    distance += size;
    if (least_distance(begin, end, distance) > max_distance) return max_distance + 1;
  }
}

void PairDistance::take_columns(int64_t begin, int64_t end, uint64_t* up, uint64_t* down, int64_t num_words) {
  const Strip strip{rows_.data(), up, down, num_words};
  uint16_t rows[kRowsAround + kMaxColumns + kRowsAround] = {};
  for (int64_t j = begin; j < end; j += kMaxColumns) {
    const int64_t count = std::min(end - j, kMaxColumns);
    pace_.spend(count * num_words);
    for (int64_t k = 0; k < count; ++k) rows[kRowsAround + k] = rows_.row_of(text_[j + k]);
    simd::primitives().distance_strip(strip, rows + kRowsAround, count, &edges_[j]);
  }
}

// Returns a lower bound of the least distance at the edges [begin, end), from the distances at every 64th.
int64_t PairDistance::least_distance(int64_t begin, int64_t end, int64_t distance) const {
  int64_t least = distance;
  for (int64_t j = begin; j < end;) {
    const int64_t count = std::min<int64_t>(end - j, 64);
    const int64_t next = distance + sum_differences(edges_.data() + j, edges_.data() + j + count);
    least = std::min(least, (distance + next - count) / 2);
    distance = next;
    j += count;
  }
  return least;
}

}  // namespace stringops::kernels
