// The order of strings in a row without sorting it: extremes, and binary searches.
#include <algorithm>
#include <numeric>
#include <vector>

#include "core/byte_order.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/testing.h"
#include "driver/two_pass.h"
#include "kernels/sort.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kFewOf = 4;                      // what is less than this part of a row is few
constexpr int64_t kFewKept = block_size(256, 2);   // strings that are sorted to raise the bar
constexpr int64_t kTried = block_size(64, 2);      // strings from all over a row that raise the bar first
constexpr int64_t kAtOnce = block_size(1024, 4);   // strings that are compared with the bar
constexpr int64_t kOneByOne = block_size(512, 2);  // first strings of a row, which are compared one by one

// Compares strings with one of them, the bar. A string is better if it is less, or greater.
class Bar {
 public:
  Bar(const StringSpan& in, bool greatest) : in_(in), greatest_(greatest) {}

  // Sets the bar to a string.
  void set(int64_t i) {
    const ByteRange range = in_.range(i);
    begin_ = narrow<int32_t>(range.begin);
    end_ = narrow<int32_t>(range.end);
    bar_ = load(in_, range);
  }

  // Returns whether string i is better, or with `limit` 1 equal.
  [[gnu::always_inline]] bool is_beaten_by(int64_t i, int8_t limit) const {
    const int64_t begin = in_.offsets[i], size = in_.offsets[i + 1] - begin;
    const uint8_t* const text = in_.data + begin;
    // One branch for all conditions of reading a prefix, which decides for most strings.
    if ((begin | size | (in_.num_bytes - begin - std::max(size, kPrefixBytes))) < 0) {
      return is_better(load(in_, in_.range(i)), limit);
    }
    const uint64_t prefix = load_whole_prefix(text, size);
    return prefix != bar_.prefix ? (prefix < bar_.prefix) != greatest_
                                 : is_better({{text, text + size}, prefix}, limit);
  }

  // Calls f(i) for strings i of n that are better than the bar, or with `limit` 1 equal. `f` may raise the bar: strings
  // that are better than it was before the call may be among them.
  template <class F>
  void for_each_better(int64_t first, int64_t n, int8_t limit, F&& f) {
    pace_.spend(kComparedSteps * n);
    if (!simd::primitives().compares_in_vectors) {
      for (int64_t i = first; i < first + n; ++i) {
        if (is_beaten_by(i, limit)) f(i);
      }
      return;
    }
    int8_t orders[kAtOnce];
    const int32_t* const at = in_.offsets + first;
    simd::primitives().compare_strings({in_.data, in_.num_bytes, at, at + 1, false},
                                       {in_.data, in_.num_bytes, &begin_, &end_, true}, n, orders);
    const int sign = greatest_ ? -1 : 1;
    bool any = false;
    for (int64_t k = 0; k < n; ++k) any |= sign * orders[k] < limit;
    for (int64_t k = 0; any && k < n; ++k) {
      if (sign * orders[k] < limit) f(first + k);
    }
  }

 private:
  static constexpr int64_t kComparedSteps = 4;

  bool is_better(const Prefixed& string, int8_t limit) const {
    const int64_t order = compare(string, bar_);
    return (greatest_ ? -order : order) < limit;
  }

  const StringSpan in_;
  const bool greatest_;
  int32_t begin_ = 0, end_ = 0;
  Prefixed bar_{};
  Pace pace_;
};

// Returns the position of the least or greatest string of [first, last), counted from the first one.
int64_t find_extreme(const StringSpan& in, int64_t first, int64_t last, bool greatest) {
  Bar best(in, greatest);
  int64_t found = first, i = first;
  const auto take = [&](int64_t better) { best.set(found = better); };
  take(first);
  while (++i < std::min(last, first + kOneByOne)) {
    if (best.is_beaten_by(i, 0)) take(i);
  }
  // Some strings from all over the row raise the bar, as in a sorted row, each one may be better than all before it.
  for (int64_t k = 1; k < std::min(kTried, (last - i) / kTried); ++k) {
    const int64_t tried = i + (last - i) * k / kTried;
    if (best.is_beaten_by(tried, 0)) take(tried);
  }
  // The number of strings that are compared at once is that of those before them: in random order, about one is better.
  const auto limit_at = [&](int64_t at) -> int8_t { return at < found ? 1 : 0; };
  for (int64_t n; i < last; i += n) {
    n = std::min({last - i, kAtOnce, i - first});
    best.for_each_better(i, n, limit_at(i), [&](int64_t better) {
      if (best.is_beaten_by(better, limit_at(better))) take(better);
    });
  }
  return found - first;
}

// Writes the positions of the first `count` of a row of `cols` strings in sorted order. It keeps the best so far, and
// strings that beat the last of these, until there are several times as many.
void select_first(const StringSpan& in, int64_t first, int64_t cols, bool greatest, int64_t count, int64_t* indices) {
  const int64_t room = std::min(cols, std::max(4 * count, kFewKept)), last = first + cols;
  std::vector<int64_t> kept(static_cast<size_t>(room));
  std::vector<PackedRange> ranges;
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
  std::iota(kept.begin(), kept.end(), first);
  shrink();
  int8_t limit = 0;
  int64_t next_sample = first;  // a sample is sorted once for as many strings, so that the time stays linear
  for (int64_t i = first + room, n; i < last; i += n) {
    n = std::min(last - i, kAtOnce);
    int64_t num_better = 0;
    last_kept.for_each_better(i, n, limit, [&](int64_t better) {
      ++num_better;
      kept.push_back(better);
      if (static_cast<int64_t>(kept.size()) < room) return;
      shrink();
      limit = 0;
    });
    const int64_t next = i + n, left = last - next;
    if (2 * num_better <= n || left <= room || next < next_sample) continue;
    next_sample = next + room;
    // In a sorted row, all others may be better. Some of these raise the bar, but are not kept until it is their turn.
    shrink();
    const std::vector<int64_t> best = kept;
    for (int64_t k = 0; k < room; ++k) kept.push_back(next + left * k / room);
    shrink();
    kept = best;
    limit = 1;
  }
  shrink();
  for (int64_t k = 0; k < count; ++k) indices[k] -= first;
}

// Binary searches in one row, by keys of the eight bytes after those that all of its strings share. They take as many
// steps for every value, so that a batch of them runs in step: the loads of one step do not wait for each other.
class SortedRow {
 public:
  static constexpr int64_t kBatch = 16;

  // `sorted` has the strings of the row only. For few values, no keys are read.
  SortedRow(const StringSpan& sorted, bool right, int64_t num_values) : sorted_(sorted), right_(right) {
    if (sorted.size() == 0 || num_values <= sorted.size() / kFewOf) return;
    start_ = sorted.view(sorted.range(0));
    const StringView last = sorted.view(sorted.range(sorted.size() - 1));
    const int64_t most = std::min(start_.size(), last.size());
    start_.end = std::mismatch(start_.begin, start_.begin + most, last.begin).first;
    keys_.resize(static_cast<size_t>(sorted.size()));
    Pace pace;
    for (int64_t i = 0; i < sorted.size(); ++i) {
      pace.spend(kKeySteps);
      keys_[static_cast<size_t>(i)] = load_at(i).prefix;
    }
  }

  int64_t size() const { return sorted_.size(); }

  // Returns a negative number, 0 or a positive number if the value is before all strings, begins with the bytes that
  // they share, or is after them.
  int64_t order_of_start(StringView value) const {
    return compare_bytes({value.begin, value.begin + std::min(value.size(), start_.size())}, start_);
  }

  // Loads the rest of a string after the shared bytes.
  Prefixed load_rest(const StringSpan& in, ByteRange range) const {
    return load(in, {std::min(range.begin + start_.size(), range.end), range.end});
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

  Prefixed load_at(int64_t i) const { return load_rest(sorted_, sorted_.range(i)); }

  // The position of a value, which is not before string `first`. If there are keys, few of them are equal to that of
  // the value, so the search for the last one starts at the first one.
  int64_t find_from(const Prefixed& value, int64_t first) const {
    const auto is_before = [&](int64_t i) {
      const int64_t order = compare(load_at(i), value);
      return right_ ? order <= 0 : order < 0;
    };
    int64_t last = sorted_.size();
    if (!keys_.empty()) {
      if (first == last || !is_before(first)) return first;
      int64_t step = 1;
      while (first + step < last && keys_[static_cast<size_t>(first + step)] <= value.prefix) step *= 2;
      const auto keys = keys_.begin();
      last = std::upper_bound(keys + first + step / 2, keys + std::min(last, first + step), value.prefix) - keys;
      ++first;
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
  const bool right_;
  StringView start_{};  // the shared bytes, if there are keys
  std::vector<uint64_t> keys_;
};

// Writes the positions of values [first, last) of all.
void search_row(const SortedRow& row, const StringSpan& values, int64_t first, int64_t last, int64_t* positions) {
  Prefixed batch[SortedRow::kBatch] = {};
  int64_t numbers[SortedRow::kBatch], found[SortedRow::kBatch], count = 0;
  const auto flush = [&] {
    row.find(batch, count, found);
    for (int64_t k = 0; k < count; ++k) positions[numbers[k]] = found[k];
    count = 0;
  };
  for_each_string(values, first, last, [&](int64_t i, ByteRange range) {
    const int64_t order = row.order_of_start(values.view(range));
    if (order != 0) {
      positions[i] = order < 0 ? 0 : row.size();
      return;
    }
    numbers[count] = i;
    batch[count++] = row.load_rest(values, range);
    if (count == SortedRow::kBatch) flush();
  });
  flush();
}

}  // namespace

void find_extremes(const Runner& runner, const StringSpan& in, int64_t cols, bool greatest, int64_t* indices) {
  const double ns = runner.time_of(in, {3, 0.02});
  if (in.size() == cols) {  // one row
    const EvenTasks tasks{cols, std::min(cols, runner.choose_tasks(ns))};
    std::vector<int64_t> found(static_cast<size_t>(tasks.tasks));
    runner.run(tasks.tasks, [&](int64_t t) {
      const int64_t first = tasks.begin(t);
      found[static_cast<size_t>(t)] = first + find_extreme(in, first, tasks.begin(t + 1), greatest);
    });
    Bar best(in, greatest);
    best.set(*indices = found[0]);
    for (const int64_t i : found) {
      if (best.is_beaten_by(i, 0)) best.set(*indices = i);
    }
    return;
  }
  runner.run_ranges(in.size() / cols, ns, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) indices[i] = find_extreme(in, i * cols, (i + 1) * cols, greatest);
  });
}

void select_rows(const Runner& runner, const StringSpan& in, int64_t cols, bool descending, int64_t count,
                 int64_t* indices) {
  if (count > cols / kFewOf) return argsort_rows(runner, in, cols, descending, count, indices);
  if (count == 0) return;
  const double ns = runner.time_of(in, {3, 0.02});
  const int64_t parts = in.size() == cols ? std::min(cols / (kFewOf * count), runner.choose_parts(ns)) : 1;
  if (parts > 1) {  // of one row; its first strings are among those of the parts
    const EvenTasks tasks{cols, parts};
    std::vector<int64_t> kept(static_cast<size_t>(parts * count));
    std::vector<PackedRange> ranges(kept.size());
    runner.run(parts, [&](int64_t t) {
      const int64_t first = tasks.begin(t);
      int64_t* const found = kept.data() + t * count;
      select_first(in, first, tasks.begin(t + 1) - first, descending, count, found);
      for (int64_t k = 0; k < count; ++k) {
        const ByteRange range = in.range(found[k] += first);
        ranges[static_cast<size_t>(t * count + k)] = {narrow<int32_t>(range.begin), narrow<int32_t>(range.end)};
      }
    });
    const std::vector<int32_t> order = argsort_strings(in.data, in.num_bytes, ranges, descending, count);
    for (int64_t k = 0; k < count; ++k) indices[k] = kept[static_cast<size_t>(order[static_cast<size_t>(k)])];
    return;
  }
  runner.run_ranges(in.size() / cols, ns, [&](int64_t first, int64_t last) {
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
