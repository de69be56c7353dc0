#include "kernels/compare_edit_lanes.h"

#include <cstring>
#include <numeric>

#include "core/bits.h"
#include "core/narrow.h"
#include "kernels/compare_edit_pair.h"
#include "kernels/compare_metrics.h"

namespace stringops::kernels {
namespace {

using simd::PatternLanes;

// Room for the lanes of a group that has fewer patterns.
constexpr int64_t kMaxLanes = PatternLanes::kRowBytes;

}  // namespace

// Counting sort.
template <class Metric>
void AllPairs<Metric>::order_patterns() {
  others_.clear();
  constexpr int64_t kMaxSize = Metric::kPlanes > 0 ? kWordBits : -1;
  int64_t ends[kWordBits + 2] = {};  // of the patterns of each size: those of 64 units are the first
  for (int64_t p = 0; p < patterns_.size(); ++p) {
    const int64_t size = patterns_.size_of(p);
    if (size > kMaxSize) {
      others_.push_back(p);
    } else {
      ++ends[kWordBits - size + 1];
    }
  }
  for (int64_t k = 0; k <= kWordBits; ++k) ends[k + 1] += ends[k];
  order_.resize(static_cast<size_t>(ends[kWordBits + 1]));
  for (int64_t p = 0; p < patterns_.size(); ++p) {
    const int64_t size = patterns_.size_of(p);
    if (size <= kMaxSize) order_[ends[kWordBits - size]++] = p;
  }
}

template <class Metric>
void AllPairs<Metric>::divide_patterns() {
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

template <class Metric>
void AllPairs<Metric>::read_text_numbers() {
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
  const auto is_short = [&](int64_t t) { return texts_.size_of(t) <= Metric::kMaxLaneText; };
  num_lane_texts_ = std::partition_point(text_order_.begin(), text_order_.end(), is_short) - text_order_.begin();
}

template <class Metric>
void AllPairs<Metric>::write(Value* out) {
  if (texts_.num_units() > kMaxLaneUnits) {
    for (int64_t p = 0; p < patterns_.size(); ++p) write_pairs(p, out);
    return;
  }
  if (!order_.empty()) {
    read_text_numbers();
    planes_.resize(static_cast<size_t>(num_lane_texts_ * Metric::kPlanes * pitch_));
    for (const Group& group : groups_) {
      pace_.spend(texts_.num_units());
      compute(group);
    }
    write_values(out);
  }
  for (const int64_t p : others_) write_pairs(p, out);
}

template <class Metric>
void AllPairs<Metric>::write_pairs(int64_t p, Value* out) {
  const UnitRange pattern = patterns_[p];
  metric_.start(pattern);
  for (int64_t t = 0; t < texts_.size(); ++t) {
    const UnitRange text = texts_[t];
    if (std::abs(text.size() - pattern.size()) > metric_.limit()) {
      *at(out, t, p) = metric_.beyond();
      continue;
    }
    pace_.spend(text.size());
    *at(out, t, p) = metric_.to_pattern(text);
  }
  metric_.finish();
}

template <class Metric>
typename AllPairs<Metric>::Value AllPairs<Metric>::pair_value(UnitRange text, UnitRange pattern) {
  if (std::abs(text.size() - pattern.size()) > metric_.limit()) return metric_.beyond();
  pace_.spend(text.size());
  return metric_(text, pattern);
}

// Writes the result row by row.
template <class Metric>
void AllPairs<Metric>::write_values(Value* out) {
  const int64_t num_patterns = patterns_.size(), pitch = pitch_;
  if (pattern_stride_ == 1) {
    for (int64_t i = 0; i < num_lane_texts_; ++i) {
      const int64_t t = text_order_[i];
      const int8_t* const row = &planes_[i * Metric::kPlanes * pitch];
      const uint16_t* const columns = columns_.data();
      const UnitRange text = texts_[t];
      Value* const to = at(out, t, 0);
      for (int64_t p = 0; p < num_patterns; ++p) to[p] = metric_.value(text, patterns_[p], row + columns[p], pitch);
    }
  } else if (num_lane_texts_ > 0) {
    for (int64_t p = 0; p < num_patterns; ++p) {
      const UnitRange pattern = patterns_[p];
      const int8_t* column = &planes_[columns_[p]];
      Value* const to = at(out, 0, p);
      for (int64_t i = 0; i < num_lane_texts_; ++i, column += Metric::kPlanes * pitch) {
        const int64_t t = text_order_[i];
        to[t * text_stride_] = metric_.value(texts_[t], pattern, column, pitch);
      }
    }
  }
  for (int64_t i = num_lane_texts_; i < texts_.size(); ++i) {
    const int64_t t = text_order_[i];
    for (const int64_t p : order_) *at(out, t, p) = pair_value(texts_[t], patterns_[p]);
  }
}

// Texts whose sizes differ too much from those of all patterns are skipped: any difference of 64 is beyond the limit.
template <class Metric>
void AllPairs<Metric>::compute(const Group& group) {
  const int64_t limit = metric_.limit(), count = num_lane_texts_;
  const auto size_of = [&](int64_t i) { return text_ends_[i] - text_begins_[i]; };
  int64_t first = 0, last = count;
  while (first < count && size_of(first) < group.shortest - limit) ++first;
  while (last > first && size_of(last - 1) - limit > group.longest) --last;
  for (int64_t i = 0; i < count; ++i) {
    if (i >= first && i < last) continue;
    std::fill_n(&planes_[i * Metric::kPlanes * pitch_ + group.first], group.count, int8_t{kWordBits});
  }
  if (first < last) compute_range(group, first, last);
}

template <class Metric>
void AllPairs<Metric>::compute_range(const Group& group, int64_t first, int64_t last) {
  add_masks(group);
  simd::TextRows texts{text_numbers_.data(), text_begins_.data() + first, text_ends_.data() + first};
  if (!numbers_.all_direct()) {
    const int64_t begin = text_begins_[first], end = text_ends_[last - 1];
    text_rows_.resize(text_numbers_.size());
    for (int64_t j = begin; j < end; ++j) text_rows_[j] = rows_.row_of(text_numbers_[j]);
    texts.rows = text_rows_.data();
  }
  Metric::compute({rows_.data(), bits_, group.lane_bytes}, texts, last - first,
                  &planes_[first * Metric::kPlanes * pitch_ + group.first], pitch_);
  rows_.clear(pattern_numbers_.data() + number_ends_[group.first],
              pattern_numbers_.data() + number_ends_[group.first + group.count]);
}

template <class Metric>
void AllPairs<Metric>::add_masks(const Group& group) {
  std::memset(bits_, 0, sizeof(bits_));
  const int64_t lane_bits = 8 * group.lane_bytes;
  for (int64_t k = 0; k < group.count; ++k) {
    const int64_t begin = number_ends_[group.first + k], size = number_ends_[group.first + k + 1] - begin;
    for (int64_t i = 0; i < size; ++i) rows_.set(pattern_numbers_[begin + i], k * lane_bits + i);
    set_bits(bits_, k * lane_bits, k * lane_bits + size);
  }
}

template class AllPairs<PairDistance>;
template class AllPairs<PairRatio>;
template class AllPairs<PairJaroWinkler>;
template class AllPairs<PairDamerau>;

}  // namespace stringops::kernels
