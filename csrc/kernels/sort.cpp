// Radix sort of strings, most significant bytes first. Entries hold eight bytes of their string, so that most strings
// are sorted without reading them again. All tasks are on an explicit stack. Strings that are equal so far wait for
// each other, so that the next bytes of many are read at once: these are at random positions.
//
// Only copies of ranges and keys are compared. A concurrent write may change which permutation results, but neither
// bounds nor termination.
#include "kernels/sort.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "core/byte_order.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/testing.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kKeySize = kPrefixBytes;
constexpr int64_t kMaxRanked = block_size(24, 2);
constexpr int64_t kLoaded = block_size(256, 4);  // entries whose keys are read before they are sorted
constexpr int64_t kFirstStep = 16;               // bytes that strings are first expected to share

// Strings of equal keys are ordered by `rest`: the number of bytes left, at most kLonger. Keys of fewer than eight
// bytes are padded with zeros, so that "a" and "a\0" differ only in `rest`.
struct Entry {
  static constexpr uint32_t kLonger = kKeySize + 1;

  uint64_t key;
  uint32_t rest;
  int32_t index;

  // There are no branches.
  bool operator<(const Entry& other) const {
    __extension__ using Wide = unsigned __int128;
    return (Wide{key} << 64 | rest) < (Wide{other.key} << 64 | other.rest);
  }
};

// Entries [first, last), whose strings are equal in the first `depth` bytes.
struct Group {
  int64_t first;
  int64_t last;
  int64_t depth;
  bool in_scratch;  // where the entries are
};

// Sorts any number of times, each time as many strings.
class StringSorter {
 public:
  StringSorter(const uint8_t* data, int64_t num_bytes, int64_t count)
      : data_(data),
        end_(data + num_bytes),
        count_(count),
        entries_(new Entry[static_cast<size_t>(count)]),
        scratch_(new Entry[static_cast<size_t>(count)]) {}

  // Writes the positions of `count` ranges to `order`.
  void sort(const PackedRange* ranges, int32_t* order) {
    ranges_ = ranges;
    order_ = order;
    for (int64_t i = 0; i < count_; ++i) entries_[static_cast<size_t>(i)].index = narrow<int32_t>(i);
    if (count_ > 0) push({0, count_, 0, false}, waiting_);
    while (!waiting_.empty()) {
      take_last();
      load_keys();
      for (const Group& group : loaded_) {
        sort_group(group);
        while (!groups_.empty()) {
          const Group part = groups_.back();
          groups_.pop_back();
          sort_group(part);
        }
      }
    }
  }

 private:
  Entry* entries(const Group& group) { return (group.in_scratch ? scratch_ : entries_).get() + group.first; }

  StringView tail(const Entry& entry, int64_t depth) const {
    const auto [begin, end] = ranges_[entry.index];
    return {data_ + begin + depth, data_ + end};
  }

  void push(const Group& group, std::vector<Group>& groups) {
    if (group.last - group.first == 1) {
      finish(group);
    } else {
      groups.push_back(group);
    }
  }

  // Entries of equal keys and rests: equal strings, unless they are longer.
  void push_equal(Group group, uint32_t rest) {
    if (rest < Entry::kLonger) return finish(group);
    group.depth += kKeySize;
    push(group, waiting_);
  }

  void finish(const Group& group) {
    const Entry* const sorted = entries(group);
    for (int64_t i = 0; i < group.last - group.first; ++i) order_[group.first + i] = sorted[i].index;
  }

  // Moves the last groups that wait, of at least kLoaded entries together, to loaded_.
  void take_last() {
    size_t first = waiting_.size();
    for (int64_t count = 0; first > 0 && count < kLoaded; count += waiting_[first].last - waiting_[first].first)
      --first;
    loaded_.assign(waiting_.begin() + static_cast<std::ptrdiff_t>(first), waiting_.end());
    waiting_.resize(first);
  }

  // Sorts entries that have keys.
  void sort_group(Group group) {
    Entry* const in = entries(group);
    const int64_t count = group.last - group.first;
    pace_.spend(count);
    uint64_t difference = 0;
    for (int64_t i = 1; i < count; ++i) difference |= in[i].key ^ in[0].key;
    if (difference != 0) return count <= kMaxRanked ? sort_few(group) : divide_by_key(group, difference);
    // Strings that share eight bytes after others may share many.
    const int64_t shared = group.depth > 0 ? shared_bytes(in, count, group.depth) : 0;
    if (shared == 0) return divide_by_rest(group);
    group.depth += shared;
    push(group, waiting_);
  }

  // Each step reads what the next one needs, for many entries, as most of it is in no near cache.
  void load_keys() {
    constexpr size_t kBatch = 32;
    struct {
      Entry* entry;
      int64_t depth;
    } batch[kBatch];
    size_t size = 0;
    const auto load = [&] {
      for (size_t i = 0; i < size; ++i) __builtin_prefetch(&ranges_[batch[i].entry->index]);
      for (size_t i = 0; i < size; ++i) __builtin_prefetch(tail(*batch[i].entry, batch[i].depth).begin);
      for (size_t i = 0; i < size; ++i) load_key(*batch[i].entry, batch[i].depth);
      size = 0;
    };
    for (const Group& group : loaded_) {
      Entry* const in = entries(group);
      for (int64_t i = 0; i < group.last - group.first; ++i) {
        batch[size++] = {in + i, group.depth};
        if (size == kBatch) load();
      }
    }
    load();
  }

  void load_key(Entry& entry, int64_t depth) const {
    const StringView text = tail(entry, depth);
    entry.key = load_prefix(text, end_);
    entry.rest = static_cast<uint32_t>(std::min<int64_t>(text.size(), Entry::kLonger));
  }

  // A number of bytes after `depth` in which the strings are equal. The step doubles while they are, so that the last
  // pass, which finds a difference, takes at most as long as the passes before.
  int64_t shared_bytes(const Entry* in, int64_t count, int64_t depth) {
    int64_t shared = 0;
    for (int64_t step = kFirstStep;; step *= 2) {
      const StringView first = tail(in[0], depth + shared);
      const bool equal =
          first.size() >= step && std::all_of(in + 1, in + count, [&](const Entry& entry) {
            const StringView text = tail(entry, depth + shared);
            pace_.spend(step / kKeySize);
            return text.size() >= step && std::memcmp(first.begin, text.begin, static_cast<size_t>(step)) == 0;
          });
      if (!equal) return shared;
      shared += step;
    }
  }

  // Sorts by keys and rests, and leaves entries in which both are equal to other groups.
  void sort_few(const Group& group) {
    Entry* const in = entries(group);
    const int64_t count = group.last - group.first;
    // Each entry is copied to the number of entries before it, as comparisons are unpredictable.
    std::array<Entry, kMaxRanked> copy;
    std::array<uint32_t, kMaxRanked> ranks;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      copy[i] = in[i];
      uint32_t rank = 0;
      for (size_t k = 0; k < i; ++k) {
        const bool before = copy[i] < copy[k];
        ranks[k] += before;
        rank += !before;
      }
      ranks[i] = rank;
    }
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) in[ranks[i]] = copy[i];
    for (int64_t i = 0, end = 0; i < count; i = end) {
      for (end = i + 1; end < count && !(in[i] < in[end]);) ++end;
      Group part = group;
      part.first = group.first + i;
      part.last = group.first + end;
      push_equal(part, in[i].rest);
    }
  }

  // Divides a group by the eight bits that begin with the highest one in which keys differ, into at least two groups.
  void divide_by_key(const Group& group, uint64_t difference) {
    const int shift = std::max(0, 56 - __builtin_clzll(difference));
    divide<256>(
        group, [&](const Entry& entry) { return entry.key >> shift & 0xff; },
        [&](uint64_t, const Group& part) { push(part, groups_); });
  }

  // Here all keys are equal.
  void divide_by_rest(const Group& group) {
    divide<Entry::kLonger + 1>(
        group, [](const Entry& entry) { return entry.rest; },
        [&](uint64_t rest, const Group& part) { push_equal(part, static_cast<uint32_t>(rest)); });
  }

  // Moves the entries to the other array, ordered by digit, and calls each(digit, group) for every digit.
  template <size_t kDigits, class DigitOf, class Each>
  void divide(Group group, DigitOf&& digit_of, Each&& each) {
    const Entry* const in = entries(group);
    const int64_t count = group.last - group.first;
    uint32_t ends[kDigits] = {};
    for (int64_t i = 0; i < count; ++i) ++ends[digit_of(in[i])];
    uint32_t at = 0;
    for (uint32_t& end : ends) at += std::exchange(end, at);  // now the begin of each digit
    group.in_scratch = !group.in_scratch;
    Entry* const out = entries(group);
    for (int64_t i = 0; i < count; ++i) out[ends[digit_of(in[i])]++] = in[i];
    Group part = group;
    part.last = group.first;
    for (size_t digit = 0; digit < kDigits; ++digit) {
      part.first = part.last;
      part.last = group.first + ends[digit];
      if (part.first < part.last) each(digit, part);
    }
  }

  const uint8_t* const data_;
  const uint8_t* const end_;
  const int64_t count_;
  const std::unique_ptr<Entry[]> entries_;
  const std::unique_ptr<Entry[]> scratch_;
  const PackedRange* ranges_ = nullptr;
  int32_t* order_ = nullptr;
  std::vector<Group> groups_;   // disjoint, of two entries and more
  std::vector<Group> waiting_;  // the same, whose keys are not those of their depth
  std::vector<Group> loaded_;   // those whose keys were read last
  Pace pace_;
};

// Calls f(first, last) for ranges of rows.
template <class F>
void run_rows(const Runner& runner, const StringSpan& in, Cost cost, F&& f) {
  runner.run_ranges(in.rows, runner.time_of(in, cost), f);
}

}  // namespace

std::vector<int32_t> argsort_strings(const uint8_t* data, int64_t num_bytes, const std::vector<PackedRange>& ranges) {
  std::vector<int32_t> order(ranges.size());
  StringSorter(data, num_bytes, static_cast<int64_t>(ranges.size())).sort(ranges.data(), order.data());
  return order;
}

void argsort_rows(const Runner& runner, const StringSpan& in, bool descending, int64_t* indices) {
  if (in.size() == 0) return;
  run_rows(runner, in, {100, 0.5}, [&](int64_t first, int64_t last) {
    const auto count = static_cast<size_t>(in.cols);
    StringSorter sorter(in.data, in.num_bytes, in.cols);
    std::vector<PackedRange> ranges(count);
    std::vector<int32_t> order(count);
    // A stable descending order is the reverse of the stable ascending order of the strings in reverse.
    const auto position = [&](int64_t i) { return descending ? in.cols - 1 - i : i; };
    for (int64_t row = first; row < last; ++row) {
      for (int64_t i = 0; i < in.cols; ++i) {
        const ByteRange range = in.range(row, position(i));
        ranges[static_cast<size_t>(i)] = {narrow<int32_t>(range.begin), narrow<int32_t>(range.end)};
      }
      sorter.sort(ranges.data(), order.data());
      int64_t* const out = indices + row * in.cols;
      for (int64_t i = 0; i < in.cols; ++i) out[position(i)] = position(order[static_cast<size_t>(i)]);
    }
  });
}

}  // namespace stringops::kernels
