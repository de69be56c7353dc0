#include "kernels/compare_edit_short.h"

#include <algorithm>
#include <utility>

#include "driver/broadcast.h"
#include "kernels/compare_edit_diagonals.h"

namespace stringops::kernels {

void ShortPairs::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) {
  const auto units_of = [&](const Units& units) { return units_.units(units.begin, units.end); };
  for (int64_t first = 0; first < count;) {
    first = read_block(a, b, first, count, out);
    for (const Pair& pair : pairs_) take(units_of(pair.left), units_of(pair.right), pair.out);
    for (Group& group : groups_) compute(group);
  }
}

// Reads the units of pairs from `first` on, but of those whose distance is known; returns the end of the block.
int64_t ShortPairs::read_block(const simd::StringRun& a, const simd::StringRun& b, int64_t first, int64_t last,
                               int64_t* out) {
  units_.clear();
  pairs_.clear();
  const Units left_one = a.is_broadcast ? read(view_at(a, 0)) : Units{},
              right_one = b.is_broadcast ? read(view_at(b, 0)) : Units{};
  const int64_t end = std::min(last, first + kBlockPairs);
  int64_t i = first;
  do {
    const StringView x = view_at(a, i), y = view_at(b, i);
    pace_.spend((x.size() + y.size()) / 8);
    if (differ_in_size(x, y, codepoints_, limit_)) {
      out[i] = limit_ + 1;
      continue;
    }
    const Units left = a.is_broadcast ? left_one : read(x), right = b.is_broadcast ? right_one : read(y);
    pairs_.push_back({left, right, out + i});
  } while (++i < end && units_.size() < kBlockUnits);
  return i;
}

ShortPairs::Units ShortPairs::read(StringView text) {
  const int64_t begin = units_.size();
  units_.append(text, codepoints_);
  return {begin, units_.size()};
}

void ShortPairs::take(UnitRange pattern, UnitRange text, int64_t* out) {
  if (pattern.size() > text.size()) std::swap(pattern, text);
  if (text.size() - pattern.size() > limit_) {
    *out = limit_ + 1;
  } else if (limit_ <= kFewEdits) {
    *out = distance_by_diagonals(pattern, text, std::min(limit_, text.size()), pace_);
  } else if (text.size() > simd::UnitPair::kMaxUnits) {
    if (!of_long_) of_long_.emplace(limit_);
    pace_.spend(text.size());
    *out = (*of_long_)(pattern, text);
  } else {
    Group& group = groups_[pattern.size() > groups_[0].max_pattern ? 1 : 0];
    group.pairs.push_back({pattern.begin, pattern.size(), text.begin, text.size()});
    group.out.push_back(out);
  }
}

void ShortPairs::compute(Group& group) {
  const auto count = static_cast<int64_t>(group.pairs.size());
  if (count == 0) return;
  pace_.spend(count * simd::UnitPair::kMaxUnits);
  distances_.resize(group.pairs.size());
  simd::primitives().pair_distances(group.pairs.data(), count, group.max_pattern, distances_.data());
  for (size_t k = 0; k < distances_.size(); ++k) {
    *group.out[k] = distances_[k] > limit_ ? limit_ + 1 : distances_[k];
  }
  group.pairs.clear();
  group.out.clear();
}

}  // namespace stringops::kernels
