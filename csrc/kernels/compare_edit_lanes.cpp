#include "kernels/compare_edit_lanes.h"

#include <cstdlib>
#include <cstring>

#include "core/bits.h"
#include "core/narrow.h"

namespace stringops::kernels {

using simd::PatternLanes;

template <class Metric>
void AllPairs<Metric>::divide_patterns() {
  order_.clear();
  others_.clear();
  groups_.clear();
  numbers_.start();
  int64_t least = 0;
  for (const int64_t lane_bytes : {1, 2, 4, 8}) {
    const int64_t most = 8 * lane_bytes, num_lanes = PatternLanes::kRowBytes / lane_bytes;
    auto first = static_cast<int64_t>(order_.size());
    for (int64_t p = 0; p < patterns_.size(); ++p) {
      if (patterns_.size_of(p) < least || patterns_.size_of(p) > most) continue;
      order_.push_back(p);
      const UnitRange units = patterns_[p];
      for (const uint32_t* u = units.begin; u < units.end; ++u) numbers_.add(*u);
    }
    for (const auto last = static_cast<int64_t>(order_.size()); first < last; first += num_lanes) {
      groups_.push_back({first, std::min(num_lanes, last - first), lane_bytes});
    }
    least = most + 1;
  }
  for (int64_t p = 0; p < patterns_.size(); ++p) {
    if (patterns_.size_of(p) >= least) others_.push_back(p);
  }
  // With room for the lanes of a group that has fewer patterns.
  pitch_ = static_cast<int64_t>(order_.size()) + PatternLanes::kRowBytes;
}

template <class Metric>
void AllPairs<Metric>::read_text_numbers() {
  lane_texts_.clear();
  text_begins_.clear();
  text_ends_.clear();
  text_numbers_.resize(static_cast<size_t>(texts_.num_units()));
  text_rows_.resize(text_numbers_.size());
  uint16_t* to = text_numbers_.data();
  for (int64_t t = 0; t < texts_.size(); ++t) {
    if (texts_.size_of(t) > Metric::kMaxLaneText) continue;
    const UnitRange units = texts_[t];
    lane_texts_.push_back(t);
    text_begins_.push_back(to - text_numbers_.data());
    for (const uint32_t* u = units.begin; u < units.end; ++u) *to++ = narrow<uint16_t>(numbers_.find(*u));
    text_ends_.push_back(to - text_numbers_.data());
  }
}

template <class Metric>
void AllPairs<Metric>::write(Value* out) {
  const bool in_lanes = Metric::kPlanes > 0 && !order_.empty() && texts_.num_units() <= kMaxLaneUnits;
  if (in_lanes) write_lanes(out);
  const auto write_pairs = [&](const std::vector<int64_t>& patterns) {
    for (const int64_t p : patterns) {
      for (int64_t t = 0; t < texts_.size(); ++t) write_pair(t, p, out);
    }
  };
  if (!in_lanes) write_pairs(order_);
  write_pairs(others_);
}

template <class Metric>
void AllPairs<Metric>::write_pair(int64_t t, int64_t p, Value* out) {
  const UnitRange text = texts_[t], pattern = patterns_[p];
  const bool is_beyond = std::abs(text.size() - pattern.size()) > metric_.limit();
  if (!is_beyond) pace_.spend(text.size());
  *at(out, t, p) = is_beyond ? metric_.beyond() : metric_(text, pattern);
}

template <class Metric>
void AllPairs<Metric>::write_lanes(Value* out) {
  read_text_numbers();
  planes_.resize(lane_texts_.size() * static_cast<size_t>(Metric::kPlanes * pitch_));
  for (const Group& group : groups_) {
    pace_.spend(texts_.num_units());
    compute(group);
  }
  for (size_t k = 0; k < order_.size(); ++k) {
    const int64_t p = order_[k];
    const UnitRange pattern = patterns_[p];
    const int8_t* numbers = planes_.data() + k;
    for (const int64_t t : lane_texts_) {
      *at(out, t, p) = metric_.value(texts_[t], pattern, numbers, pitch_);
      numbers += Metric::kPlanes * pitch_;
    }
    for (int64_t t = 0; t < texts_.size(); ++t) {
      if (texts_.size_of(t) > Metric::kMaxLaneText) write_pair(t, p, out);
    }
  }
}

template <class Metric>
void AllPairs<Metric>::compute(const Group& group) {
  add_masks(group);
  for (size_t j = 0; j < text_numbers_.size(); ++j) text_rows_[j] = rows_.row_of(text_numbers_[j]);
  Metric::compute({rows_.data(), bits_, group.lane_bytes}, {text_rows_.data(), text_begins_.data(), text_ends_.data()},
                  static_cast<int64_t>(lane_texts_.size()), planes_.data() + group.first, pitch_);
}

template <class Metric>
void AllPairs<Metric>::add_masks(const Group& group) {
  rows_.start(numbers_.count());
  std::memset(bits_, 0, sizeof(bits_));
  const int64_t lane_bits = 8 * group.lane_bytes;
  for (int64_t k = 0; k < group.count; ++k) {
    const UnitRange units = patterns_[order_[static_cast<size_t>(group.first + k)]];
    for (int64_t i = 0; i < units.size(); ++i) rows_.set(numbers_.find(units.begin[i]), k * lane_bits + i);
    set_bits(bits_, k * lane_bits, k * lane_bits + units.size());
  }
}

template class AllPairs<PairDistance>;
template class AllPairs<PairRatio>;
template class AllPairs<PairJaroWinkler>;
template class AllPairs<PairDamerau>;

}  // namespace stringops::kernels
