#include "core/narrow.h"
#include "kernels/compare_edit_metrics.h"

namespace stringops::kernels {

// The units of each value match in order of their positions, so that two positions that only move forward find the
// matches of a value, and the time is proportional to the sizes of the strings.
float PairJaroWinkler::operator()(UnitRange a, UnitRange b) {
  pace_.spend(a.size() + b.size());
  const auto m = narrow<int32_t>(a.size()), n = narrow<int32_t>(b.size());
  const int64_t half = std::max(a.size(), b.size()) / 2, reach = half - (half > 0 ? 1 : 0);
  numbers_.start();
  first_.assign(UnitNumbers::kAbsent + 1, m);
  next_.resize(a.end - a.begin);
  for (int32_t i = m - 1; i >= 0; --i) {
    const uint32_t number = numbers_.add(a.begin[i]);
    if (number >= first_.size()) first_.resize(number + 1, m);
    next_[i] = first_[number];
    first_[number] = i;
  }

  is_matched_.assign(next_.size(), 0);
  matched_.clear();
  for (int32_t j = 0; j < n; ++j) {
    int32_t& first = first_[numbers_.find(b.begin[j])];
    while (first < m && first < j - reach) first = next_[first];
    if (first == m || first > j + reach) continue;
    is_matched_[first] = 1;
    matched_.push_back(b.begin[j]);
    first = next_[first];
  }

  int64_t moved = 0;
  const uint32_t* other = matched_.data();
  for (int32_t i = 0; i < m; ++i) {
    if (is_matched_[i] != 0 && a.begin[i] != *other++) ++moved;
  }
  return similarity(a, b, static_cast<int64_t>(matched_.size()), moved);
}

float PairJaroWinkler::similarity(UnitRange a, UnitRange b, int64_t matches, int64_t moved) const {
  if (matches == 0) return a.size() + b.size() == 0 ? 1 : 0;
  const auto common = static_cast<double>(matches), in_order = static_cast<double>(matches - moved / 2);
  const double jaro =
      (common / static_cast<double>(a.size()) + common / static_cast<double>(b.size()) + in_order / common) / 3;
  constexpr double kSimilar = 0.7;
  if (jaro <= kSimilar) return static_cast<float>(jaro);
  constexpr int64_t kMaxPrefix = 4;
  const int64_t most = std::min({a.size(), b.size(), kMaxPrefix});
  int64_t prefix = 0;
  while (prefix < most && a.begin[prefix] == b.begin[prefix]) ++prefix;
  return static_cast<float>(std::min(jaro + static_cast<double>(prefix) * prefix_weight_ * (1 - jaro), 1.0));
}

}  // namespace stringops::kernels
