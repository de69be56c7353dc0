// The order of strings in a row without sorting it: extremes, and binary searches.
#include <algorithm>
#include <vector>

#include "core/byte_order.h"
#include "core/strings.h"
#include "core/testing.h"
#include "kernels/sort.h"

namespace stringops::kernels {
namespace {

struct Prefixed {
  StringView view;
  uint64_t prefix;
};

Prefixed load(const StringSpan& in, ByteRange range) {
  const StringView view = in.view(range);
  return {view, load_prefix(view, in.data + in.num_bytes)};
}

int64_t compare(const Prefixed& a, const Prefixed& b) {
  return compare_bytes(a.view, a.prefix, b.view, b.prefix);
}

// Returns the position of the least or greatest string of [first, last), counted from the first one.
int64_t find_extreme(const StringSpan& in, int64_t first, int64_t last, bool greatest) {
  // Prefixes in the order, or in its reverse, so that the least one is looked for.
  const uint64_t flip = greatest ? ~uint64_t{0} : 0;
  int64_t found = 0;
  Prefixed best = load(in, in.range(first));
  uint64_t best_prefix = best.prefix ^ flip;
  const int32_t* const offsets = in.offsets;
  for (int64_t i = first + 1; i < last; ++i) {
    const int64_t begin = offsets[i], size = offsets[i + 1] - begin;
    // One branch for all conditions of reading a prefix, which decides for most strings.
    if ((begin | size | (in.num_bytes - kPrefixBytes - begin)) >= 0 &&
        (load_whole_prefix(in.data + begin, size) ^ flip) > best_prefix) {
      continue;
    }
    const Prefixed string = load(in, in.range(i));
    if (greatest ? compare(string, best) > 0 : compare(string, best) < 0) {
      best = string;
      best_prefix = best.prefix ^ flip;
      found = i - first;
    }
  }
  return found;
}

// Binary searches in one row. They take as many steps for every value, so that a batch of them runs in step: the loads
// of one step do not wait for each other.
class SortedRow {
 public:
  static constexpr int64_t kBatch = 16;

  // `sorted` has the strings of the row only.
  SortedRow(const StringSpan& sorted, bool right)
      : sorted_(sorted), right_(right), prefixes_(static_cast<size_t>(sorted.size())) {
    for (int64_t i = 0; i < sorted.size(); ++i)
      prefixes_[static_cast<size_t>(i)] = load(sorted, sorted.range(i)).prefix;
  }

  // Writes the positions of `count` <= kBatch values.
  void find(const Prefixed* values, int64_t count, int64_t* positions) const {
    uint64_t keys[kBatch] = {};
    int64_t bases[kBatch] = {};
    for (int64_t j = 0; j < count; ++j) keys[j] = values[j].prefix;
    find_prefixes(keys, bases);
    // Most prefixes are found, and the strings are at random positions.
    for (int64_t j = 0; j < count; ++j) __builtin_prefetch(sorted_.offsets + bases[j]);
    for (int64_t j = 0; j < count; ++j) {
      if (bases[j] < sorted_.size()) __builtin_prefetch(sorted_.data + sorted_.range(bases[j]).begin);
    }
    for (int64_t j = 0; j < count; ++j) positions[j] = find_among_equal(values[j], bases[j]);
  }

 private:
  // Finds, for each key, the number of prefixes that are less than it.
  void find_prefixes(const uint64_t* keys, int64_t* bases) const {
    const uint64_t* const prefixes = prefixes_.data();
    int64_t left = sorted_.size();
    if (left == 0) return;
    for (; left > 1; left -= left / 2) {
      const int64_t half = left / 2;
      for (int64_t j = 0; j < kBatch; ++j) bases[j] += prefixes[bases[j] + half - 1] < keys[j] ? half : 0;
    }
    for (int64_t j = 0; j < kBatch; ++j) bases[j] += prefixes[bases[j]] < keys[j] ? 1 : 0;
  }

  // The position of a value among the strings of its prefix, of which the first is at `first`. The range in which it
  // lies doubles until it is found, as few strings share a prefix.
  int64_t find_among_equal(const Prefixed& value, int64_t first) const {
    const auto is_before = [&](int64_t i) {
      if (prefixes_[static_cast<size_t>(i)] != value.prefix) return prefixes_[static_cast<size_t>(i)] < value.prefix;
      const int64_t order = compare_bytes(sorted_.view(sorted_.range(i)), value.prefix, value.view, value.prefix);
      return right_ ? order <= 0 : order < 0;
    };
    int64_t last = first;  // strings before `first` are before the value, that at `last` is not
    for (int64_t step = 1; last < sorted_.size() && is_before(last); step *= 2) {
      first = last + 1;
      last = std::min(sorted_.size(), last + step);
    }
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      if (is_before(middle)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  const StringSpan sorted_;
  bool right_;
  std::vector<uint64_t> prefixes_;
};

// Writes the positions of values [first, last) of all.
void search_row(const SortedRow& row, const StringSpan& values, int64_t first, int64_t last, int64_t* positions) {
  Prefixed batch[SortedRow::kBatch];
  int64_t count = 0;
  for_each_string(values, first, last, [&](int64_t i, ByteRange range) {
    batch[count++] = load(values, range);
    if (count < SortedRow::kBatch && i + 1 < last) return;
    row.find(batch, count, positions + i + 1 - count);
    count = 0;
  });
}

}  // namespace

void find_extremes(const Runner& runner, const StringSpan& in, int64_t cols, bool greatest, int64_t* indices) {
  runner.run_ranges(in.size() / cols, runner.time_of(in, {3, 0.02}), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) indices[i] = find_extreme(in, i * cols, (i + 1) * cols, greatest);
  });
}

void search_sorted(const Runner& runner, const SortedSearch& in, bool right, int64_t* positions) {
  const StringSpan &sorted = in.sorted, &values = in.values;
  if (values.size() == 0) return;
  constexpr Cost kCost{60, 0.1};
  if (sorted.size() == in.sorted_cols) {
    const SortedRow row(sorted, right);
    runner.run_ranges(values.size(), runner.time_of(values, kCost),
                      [&](int64_t first, int64_t last) { search_row(row, values, first, last, positions); });
    return;
  }
  runner.run_ranges(values.size() / in.value_cols, runner.time_of(sorted, {3, 0}) + runner.time_of(values, kCost),
                    [&](int64_t first, int64_t last) {
                      for (int64_t r = first; r < last; ++r) {
                        const SortedRow row(sorted.part(r * in.sorted_cols, in.sorted_cols), right);
                        search_row(row, values, r * in.value_cols, (r + 1) * in.value_cols, positions);
                      }
                    });
}

}  // namespace stringops::kernels
