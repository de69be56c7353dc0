// The order of strings in a row without sorting it: extremes, and binary searches.
#include <algorithm>
#include <vector>

#include "core/byte_order.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/testing.h"
#include "kernels/sort.h"
#include "kernels/sort_runs.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kFewOf = 4;                     // what is less than this part of a row is few
constexpr int64_t kFewKept = block_size(256, 2);  // strings that are sorted to raise the bar

// Compares strings with one of them, the bar.
class Bar {
 public:
  // A string is better if it is less, or greater.
  Bar(const StringSpan& in, bool greatest) : in_(in), flip_(greatest ? ~uint64_t{0} : 0) {}

  // Sets the bar to a string.
  void set(int64_t i) {
    bar_ = load(in_, in_.range(i));
    bar_.prefix ^= flip_;
  }

  // Returns whether string i is better than the bar.
  bool is_beaten_by(int64_t i) const {
    const int64_t begin = in_.offsets[i], size = in_.offsets[i + 1] - begin;
    const uint8_t* const text = in_.data + begin;
    // One branch for all conditions of reading a prefix, which decides for most strings.
    if ((begin | size | (in_.num_bytes - begin - std::max(size, kPrefixBytes))) < 0) return is_better(in_.range(i));
    const uint64_t prefix = load_whole_prefix(text, size) ^ flip_;
    return prefix != bar_.prefix ? prefix < bar_.prefix : is_better({text, text + size}, prefix);
  }

 private:
  bool is_better(ByteRange range) const {
    const Prefixed string = load(in_, range);
    return is_better(string.view, string.prefix ^ flip_);
  }

  bool is_better(StringView text, uint64_t prefix) const {
    const int64_t order = compare_bytes(text, prefix, bar_.view, bar_.prefix);
    // Flipped prefixes are in the order that is wanted, other bytes and sizes are not.
    return prefix == bar_.prefix && flip_ != 0 ? order > 0 : order < 0;
  }

  const StringSpan in_;
  const uint64_t flip_;  // changes prefixes so that the better one is less
  Prefixed bar_{};
};

// Returns the position of the least or greatest string of [first, last), counted from the first one.
int64_t find_extreme(const StringSpan& in, int64_t first, int64_t last, bool greatest) {
  Bar best(in, greatest);
  best.set(first);
  int64_t found = first;
  for (int64_t i = first + 1; i < last; ++i) {
    if (!best.is_beaten_by(i)) continue;
    best.set(i);
    found = i;
  }
  return found - first;
}

// Writes the positions of the first `count` of a row of `cols` strings in sorted order. It keeps the best so far, and
// strings that beat the last of these, until there are several times as many.
void select_first(const StringSpan& in, int64_t first, int64_t cols, bool greatest, int64_t count, int64_t* indices) {
  const auto room = static_cast<size_t>(std::min(cols, std::max(4 * count, kFewKept)));
  std::vector<int64_t> kept;
  kept.reserve(room);
  std::vector<PackedRange> ranges(room);
  Bar last_kept(in, greatest);
  const auto shrink = [&] {
    ranges.clear();
    for (const int64_t i : kept) {
      const ByteRange range = in.range(i);
      ranges.push_back({narrow<int32_t>(range.begin), narrow<int32_t>(range.end)});
    }
    const std::vector<int32_t> order = argsort_strings(in.data, in.num_bytes, ranges, greatest, count);
    for (int64_t k = 0; k < count; ++k) indices[k] = kept[static_cast<size_t>(order[static_cast<size_t>(k)])];
    kept.assign(indices, indices + count);
    last_kept.set(kept.back());
  };
  bool has_bar = false;
  for (int64_t i = first; i < first + cols; ++i) {
    if (has_bar && !last_kept.is_beaten_by(i)) continue;
    kept.push_back(i);
    if (kept.size() < room) continue;
    shrink();
    has_bar = true;
  }
  shrink();
  for (int64_t k = 0; k < count; ++k) indices[k] -= first;
}

// Binary searches in one row, by keys of eight bytes. They take as many steps for every value, so that a batch of them
// runs in step: the loads of one step do not wait for each other.
class SortedRow {
 public:
  static constexpr int64_t kBatch = 16;

  // `sorted` has the strings of the row only. For few values, no keys are read.
  SortedRow(const StringSpan& sorted, bool right, int64_t num_values) : sorted_(sorted), right_(right) {
    if (num_values <= sorted.size() / kFewOf) return;
    Pace pace;
    for_each_string(sorted, 0, sorted.size(), [&](int64_t, ByteRange range) {
      pace.spend(kKeySteps);
      keys_.push_back(load(sorted, range).prefix);
    });
  }

  // Writes the positions of `count` <= kBatch values.
  void find(const Prefixed* values, int64_t count, int64_t* positions) const {
    uint64_t keys[kBatch] = {};
    int64_t bases[kBatch] = {};
    for (int64_t j = 0; j < count; ++j) keys[j] = values[j].prefix;
    if (!keys_.empty()) find_keys(keys, bases);
    // Most prefixes are found, and the strings are at random positions.
    for (int64_t j = 0; j < count; ++j) __builtin_prefetch(sorted_.offsets + bases[j]);
    for (int64_t j = 0; j < count; ++j) {
      if (bases[j] < sorted_.size()) __builtin_prefetch(sorted_.data + sorted_.range(bases[j]).begin);
    }
    for (int64_t j = 0; j < count; ++j) positions[j] = find_from(values[j], bases[j]);
  }

 private:
  static constexpr int64_t kKeySteps = 4;

  // Finds, for each key, the number of those of the row that are less than it.
  void find_keys(const uint64_t* keys, int64_t* bases) const {
    const uint64_t* const all = keys_.data();
    int64_t left = sorted_.size();
    for (; left > 1; left -= left / 2) {
      const int64_t half = left / 2;
      for (int64_t j = 0; j < kBatch; ++j) bases[j] += all[bases[j] + half - 1] < keys[j] ? half : 0;
    }
    for (int64_t j = 0; j < kBatch; ++j) bases[j] += all[bases[j]] < keys[j] ? 1 : 0;
  }

  // The position of a value, which is not before string `first`.
  int64_t find_from(const Prefixed& value, int64_t first) const {
    int64_t last = sorted_.size();
    if (!keys_.empty()) last = std::upper_bound(keys_.begin() + first, keys_.end(), value.prefix) - keys_.begin();
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      const int64_t order = compare(load(sorted_, sorted_.range(middle)), value);
      if (right_ ? order <= 0 : order < 0) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  const StringSpan sorted_;
  const bool right_;
  std::vector<uint64_t> keys_;
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

void select_rows(const Runner& runner, const StringSpan& in, int64_t cols, bool descending, int64_t count,
                 int64_t* indices) {
  if (count > cols / kFewOf) return argsort_rows(runner, in, cols, descending, count, indices);
  if (count == 0) return;
  runner.run_ranges(in.size() / cols, runner.time_of(in, {3, 0.02}), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      select_first(in, row * cols, cols, descending, count, indices + row * count);
    }
  });
}

void search_sorted(const Runner& runner, const SortedSearch& in, bool right, int64_t* positions) {
  const StringSpan &sorted = in.sorted, &values = in.values;
  if (values.size() == 0) return;
  constexpr Cost kCost{60, 0.1};
  if (sorted.size() == in.sorted_cols) {
    const SortedRow row(sorted, right, values.size());
    runner.run_ranges(values.size(), runner.time_of(values, kCost),
                      [&](int64_t first, int64_t last) { search_row(row, values, first, last, positions); });
    return;
  }
  runner.run_ranges(values.size() / in.value_cols, runner.time_of(sorted, {3, 0}) + runner.time_of(values, kCost),
                    [&](int64_t first, int64_t last) {
                      for (int64_t r = first; r < last; ++r) {
                        const SortedRow row(sorted.part(r * in.sorted_cols, in.sorted_cols), right, in.value_cols);
                        search_row(row, values, r * in.value_cols, (r + 1) * in.value_cols, positions);
                      }
                    });
}

}  // namespace stringops::kernels
