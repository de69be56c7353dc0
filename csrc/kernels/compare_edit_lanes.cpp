#include "kernels/compare_edit_lanes.h"

#include <cstdlib>
#include <cstring>
#include <numeric>

#include "core/bits.h"
#include "core/narrow.h"

namespace stringops::kernels {
namespace {

using simd::PatternLanes;

// The limit whose next number is `top`, if there is one.
constexpr int64_t limit_of(int64_t top) {
  return top - (top < INT64_MAX);
}

// Room for the lanes of a group that has fewer patterns.
constexpr int64_t kMaxLanes = PatternLanes::kRowBytes;

}  // namespace

// Counting sort.
void AllPairs::order_patterns() {
  others_.clear();
  int64_t ends[kWordBits + 2] = {};  // of the patterns of each size: those of 64 units are the first
  for (int64_t p = 0; p < patterns_.size(); ++p) {
    const int64_t size = patterns_.size_of(p);
    if (size > kWordBits) {
      others_.push_back(p);
    } else {
      ++ends[kWordBits - size + 1];
    }
  }
  for (int64_t k = 0; k <= kWordBits; ++k) ends[k + 1] += ends[k];
  order_.resize(static_cast<size_t>(ends[kWordBits + 1]));
  for (int64_t p = 0; p < patterns_.size(); ++p) {
    const int64_t size = patterns_.size_of(p);
    if (size <= kWordBits) order_[ends[kWordBits - size]++] = p;
  }
}

void AllPairs::divide_patterns() {
  order_patterns();

  // A group's longest pattern decides on the size of its lanes.
  columns_.assign(static_cast<size_t>(patterns_.size()), 0);
  groups_.clear();
  const auto num_ordered = static_cast<int64_t>(order_.size());
  for (int64_t first = 0; first < num_ordered;) {
    const int64_t longest = patterns_.size_of(order_[first]);
    const int64_t lane_bytes = longest <= 8 ? 1 : longest <= 16 ? 2 : longest <= 32 ? 4 : 8;
    const int64_t count = std::min(PatternLanes::kRowBytes / lane_bytes, num_ordered - first);
    groups_.push_back({first, count, lane_bytes, patterns_.size_of(order_[first + count - 1]), longest});
    for (int64_t k = first; k < first + count; ++k) columns_[order_[k]] = narrow<uint16_t>(k);
    first += count;
  }
  pitch_ = num_ordered + kMaxLanes;

  numbers_.start();
  pattern_numbers_.resize(static_cast<size_t>(patterns_.num_units()));
  number_ends_.assign(1, 0);
  uint16_t* to = pattern_numbers_.data();
  for (const int64_t p : order_) {
    const UnitRange units = patterns_[p];
    for (const uint32_t* u = units.begin; u < units.end; ++u) *to++ = narrow<uint16_t>(numbers_.add(*u));
    number_ends_.push_back(to - pattern_numbers_.data());
  }
  rows_.start(numbers_.count());
}

void AllPairs::read_text_numbers() {
  text_order_.resize(static_cast<size_t>(texts_.size()));
  std::iota(text_order_.begin(), text_order_.end(), 0);
  std::stable_sort(text_order_.begin(), text_order_.end(),
                   [&](int64_t t, int64_t u) { return texts_.size_of(t) < texts_.size_of(u); });
  text_begins_.clear();
  text_ends_.clear();
  text_numbers_.resize(static_cast<size_t>(texts_.num_units()));
  uint16_t* to = text_numbers_.data();
  for (const int64_t t : text_order_) {
    const UnitRange units = texts_[t];
    text_begins_.push_back(to - text_numbers_.data());
    for (const uint32_t* u = units.begin; u < units.end; ++u) *to++ = narrow<uint16_t>(numbers_.find(*u));
    text_ends_.push_back(to - text_numbers_.data());
  }
}

void AllPairs::write(int64_t* out) {
  const auto by_pairs = [&](int64_t p) {
    const UnitRange pattern = patterns_[p];
    const int64_t limit = limit_of(top_);
    for (int64_t t = 0; t < texts_.size(); ++t) {
      int64_t& to = out[t * text_stride_ + p * pattern_stride_];
      if (std::abs(texts_.size_of(t) - pattern.size()) > limit) {
        to = top_;
        continue;
      }
      pace_.spend(texts_.size_of(t));
      to = pair_(texts_[t], pattern);
    }
  };
  if (texts_.num_units() > kMaxLaneUnits) {
    for (int64_t p = 0; p < patterns_.size(); ++p) by_pairs(p);
    return;
  }
  if (!order_.empty()) {
    read_text_numbers();
    differences_.resize(static_cast<size_t>(texts_.size() * pitch_));
    for (const Group& group : groups_) {
      pace_.spend(texts_.num_units());
      compute(group);
    }
    write_distances(out);
  }
  for (const int64_t p : others_) by_pairs(p);
}

// Writes the result row by row.
void AllPairs::write_distances(int64_t* out) const {
  const int64_t num_patterns = patterns_.size(), num_texts = texts_.size(), top = top_, pitch = pitch_;
  if (pattern_stride_ == 1) {
    for (int64_t i = 0; i < num_texts; ++i) {
      const int64_t t = text_order_[i], size = texts_.size_of(t);
      const int8_t* const row = &differences_[i * pitch];
      const uint16_t* const columns = columns_.data();
      int64_t* const to = out + t * text_stride_;
      for (int64_t p = 0; p < num_patterns; ++p) to[p] = std::min(size + row[columns[p]], top);
    }
  } else {
    for (int64_t p = 0; p < num_patterns; ++p) {
      const int8_t* at = &differences_[columns_[p]];
      int64_t* const to = out + p * pattern_stride_;
      for (int64_t i = 0; i < num_texts; ++i, at += pitch) {
        const int64_t size = text_ends_[i] - text_begins_[i];
        to[text_order_[i] * text_stride_] = std::min(size + *at, top);
      }
    }
  }
}

// Texts whose sizes differ too much from those of all patterns are skipped: any difference of 64 is beyond the limit.
void AllPairs::compute(const Group& group) {
  const int64_t limit = limit_of(top_), count = texts_.size();
  const auto size_of = [&](int64_t i) { return text_ends_[i] - text_begins_[i]; };
  int64_t first = 0, last = count;
  while (first < count && size_of(first) < group.shortest - limit) ++first;
  while (last > first && size_of(last - 1) - limit > group.longest) --last;
  for (int64_t i = 0; i < count; ++i) {
    if (i >= first && i < last) continue;
    std::fill_n(&differences_[i * pitch_ + group.first], group.count, int8_t{kWordBits});
  }
  if (first < last) compute_range(group, first, last);
}

void AllPairs::compute_range(const Group& group, int64_t first, int64_t last) {
  add_masks(group);
  simd::TextRows texts{text_numbers_.data(), text_begins_.data() + first, text_ends_.data() + first};
  if (!numbers_.all_direct()) {
    const int64_t begin = text_begins_[first], end = text_ends_[last - 1];
    text_rows_.resize(text_numbers_.size());
    for (int64_t j = begin; j < end; ++j) text_rows_[j] = rows_.row_of(text_numbers_[j]);
    texts.rows = text_rows_.data();
  }
  simd::primitives().lane_distances({rows_.data(), bits_, group.lane_bytes}, texts, last - first,
                                    &differences_[first * pitch_ + group.first], pitch_);
  rows_.clear(pattern_numbers_.data() + number_ends_[group.first],
              pattern_numbers_.data() + number_ends_[group.first + group.count]);
}

void AllPairs::add_masks(const Group& group) {
  std::memset(bits_, 0, sizeof(bits_));
  const int64_t lane_bits = 8 * group.lane_bytes;
  for (int64_t k = 0; k < group.count; ++k) {
    const int64_t begin = number_ends_[group.first + k], size = number_ends_[group.first + k + 1] - begin;
    for (int64_t i = 0; i < size; ++i) rows_.set(pattern_numbers_[begin + i], k * lane_bits + i);
    set_bits(bits_, k * lane_bits, k * lane_bits + size);
  }
}

}  // namespace stringops::kernels
