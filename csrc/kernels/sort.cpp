// Quicksort of strings by keys of seven bytes, the first ones first, so that most strings are sorted without reading
// them again. All tasks are on explicit stacks. Strings of equal keys wait for each other, so that the next bytes of
// many are read at once: these are at random positions. Keys that are in order already are not divided.
//
// Only copies of ranges and keys are compared, so that bounds and termination do not depend on the bytes.
#include "kernels/sort.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "core/bits.h"
#include "core/byte_order.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/testing.h"
#include "kernels/sort_row.h"

namespace stringops::kernels {
namespace {

// The keys of strings that are sorted, and the strings' positions, which move with them. The inner loops have no
// branches on keys, as comparisons are unpredictable.
struct KeyedPositions {
  static constexpr int64_t kFew = 32;

  uint64_t* keys;
  int32_t* positions;

  KeyedPositions operator+(int64_t n) const { return {keys + n, positions + n}; }
};

// Divides n entries: those with keys less than `bound` are written to `less`, the others to `others`, both in order.
// Returns how many are less. `less` may be the entries themselves, or begin before them; its first n entries may be
// overwritten, and the first n of `others`.
inline int64_t divide_by_key(const KeyedPositions& entries, int64_t n, uint64_t bound, const KeyedPositions& less,
                             const KeyedPositions& others) {
  int64_t num_less = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t key = entries.keys[i];
    const int32_t position = entries.positions[i];
    // Both places are written; the next entry overwrites the wrong one.
    others.keys[i - num_less] = key;
    others.positions[i - num_less] = position;
    less.keys[num_less] = key;
    less.positions[num_less] = position;
    num_less += key < bound;
  }
  return num_less;
}

// Sorts n <= kFew entries by keys; those with equal keys keep their order. Bit i of the result: keys i - 1 and i are
// equal. Each entry is copied to the place that the number of entries before it is.
inline uint64_t sort_few(const KeyedPositions& entries, int64_t n) {
  uint64_t keys[KeyedPositions::kFew];
  int32_t positions[KeyedPositions::kFew];
  uint32_t ranks[KeyedPositions::kFew];
  for (int64_t i = 0; i < n; ++i) {
    keys[i] = entries.keys[i];
    positions[i] = entries.positions[i];
    uint32_t rank = 0;
    for (int64_t k = 0; k < i; ++k) {
      const bool before = keys[i] < keys[k];
      ranks[k] += before;
      rank += !before;
    }
    ranks[i] = rank;
  }
  for (int64_t i = 0; i < n; ++i) {
    entries.keys[ranks[i]] = keys[i];
    entries.positions[ranks[i]] = positions[i];
  }
  uint64_t equal = 0;
  for (int64_t i = 1; i < n; ++i) equal |= uint64_t{entries.keys[i - 1] == entries.keys[i]} << i;
  return equal;
}

// A key holds the next seven bytes of a string, padded with zeros, and in its lowest byte the number of bytes left, at
// most kLonger. Strings of equal keys are equal, unless they are longer.
constexpr int64_t kKeyBytes = kPrefixBytes - 1;
constexpr uint64_t kLonger = kPrefixBytes, kSizeMask = 0xff;

constexpr int64_t kFewKeys = block_size(KeyedPositions::kFew, 2);
constexpr int64_t kSamples = 16;
constexpr int64_t kMaxSampled = block_size(40, 2);    // divisions of a group by samples
constexpr int64_t kDivided = block_size(1 << 16, 4);  // entries that are divided before the next poll
constexpr int64_t kLoaded = block_size(256, 4);       // entries whose keys are read before they are sorted
constexpr int64_t kLeastPart = block_size(1024, 2);   // strings that a task sorts
constexpr int64_t kFirstStep = 16;                    // bytes that strings are first expected to share

// Entries [first, last), whose strings are equal in the first `depth` bytes.
struct Group {
  int64_t first;
  int64_t last;
  int64_t depth;

  int64_t size() const { return last - first; }
};

// Entries of a group whose keys are from `least` to `greatest`.
struct Part {
  int64_t first;
  int64_t last;
  uint64_t least;
  uint64_t greatest;
  int64_t divisions;  // that led to it
};

// Sorts any number of times, each time as many strings.
class StringSorter {
 public:
  // Entries after the first `wanted` may be left in any order.
  StringSorter(const uint8_t* data, int64_t num_bytes, int64_t count, bool descending, int64_t wanted)
      : data_(data),
        end_(data + num_bytes),
        count_(count),
        wanted_(wanted),
        flip_(descending ? ~uint64_t{0} : 0),
        keys_(new uint64_t[static_cast<size_t>(count)]),
        other_keys_(new uint64_t[static_cast<size_t>(count)]),
        other_order_(new int32_t[static_cast<size_t>(count)]) {}

  // Writes the positions of `count` ranges to `order`.
  void sort(const PackedRange* ranges, int32_t* order) {
    ranges_ = ranges;
    order_ = order;
    std::iota(order, order + count_, 0);
    if (count_ > 1) waiting_.push_back({0, count_, 0});
    while (!waiting_.empty()) {
      take_last();
      load_keys();
      for (const Group& group : loaded_) sort_group(group);
    }
  }

 private:
  static constexpr int64_t kLoadSteps = 8;  // nanoseconds to load a key

  KeyedPositions entries(int64_t first) const { return {keys_.get() + first, order_ + first}; }

  StringView tail(int64_t entry, int64_t depth) const {
    const auto [begin, end] = ranges_[order_[entry]];
    return {data_ + begin + depth, data_ + end};
  }

  // Moves the last groups that wait, of at least kLoaded entries together, to loaded_.
  void take_last() {
    size_t first = waiting_.size();
    for (int64_t count = 0; first > 0 && count < kLoaded; count += waiting_[first].size()) --first;
    loaded_.assign(waiting_.begin() + static_cast<std::ptrdiff_t>(first), waiting_.end());
    waiting_.resize(first);
  }

  void load_keys() {
    for (const Group& group : loaded_) {
      for (int64_t entry = group.first; entry < group.last; ++entry) {
        pace_.spend(kLoadSteps);
        keys_[static_cast<size_t>(entry)] = key_of(tail(entry, group.depth));
      }
    }
  }

  uint64_t key_of(StringView text) const {
    return ((load_prefix(text, end_) & ~kSizeMask) | std::min(static_cast<uint64_t>(text.size()), kLonger)) ^ flip_;
  }

  // Sorts entries that have keys, and leaves longer strings of equal keys to other groups.
  void sort_group(const Group& group) {
    pace_.spend(group.size());
    parts_.push_back({group.first, group.last, 0, ~uint64_t{0}, 0});
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      if (part.first >= wanted_) {
        continue;
      } else if (part.least == part.greatest) {
        push_equal(group, part.first, part.last);
      } else if (part.last - part.first <= kFewKeys) {
        sort_few(group, part);
      } else if (std::is_sorted(keys_.get() + part.first, keys_.get() + part.last)) {
        push_runs(group, part);
      } else {
        divide(part);
      }
    }
  }

  void sort_few(const Group& group, const Part& part) {
    if (part.last - part.first < 2) return;
    for (uint64_t equal = kernels::sort_few(entries(part.first), part.last - part.first); equal != 0;) {
      const int begin = first_bit(equal), size = first_bit(~(equal >> begin));
      push_equal(group, part.first + begin - 1, part.first + begin + size);
      equal &= ~(low_bits(size) << begin);
    }
  }

  // Leaves the strings of entries with sorted keys to groups.
  void push_runs(const Group& group, const Part& part) {
    const uint64_t* const keys = keys_.get();
    for (int64_t first = part.first, last; first < part.last; first = last) {
      for (last = first + 1; last < part.last && keys[last] == keys[first];) ++last;
      push_equal(group, first, last);
    }
  }

  void push_equal(const Group& group, int64_t first, int64_t last) {
    if (last - first < 2 || first >= wanted_ || ((keys_[static_cast<size_t>(first)] ^ flip_) & kSizeMask) < kLonger)
      return;
    Group equal{first, last, group.depth + kKeyBytes};
    // Strings that share seven bytes after others may share many.
    if (group.depth > 0 && equal.size() == group.size()) equal.depth += shared_bytes(equal);
    waiting_.push_back(equal);
  }

  // The number of bytes after the depth in which the strings are equal. The step doubles while they are, so that the
  // last pass, which finds a difference, takes at most as long as the passes before.
  int64_t shared_bytes(const Group& group) {
    int64_t shared = 0;
    for (int64_t step = kFirstStep;; step *= 2) {
      const StringView text = tail(group.first, group.depth + shared);
      const int64_t n = std::min(step, text.size());
      for (int64_t entry = group.first + 1; entry < group.last; ++entry) {
        pace_.spend(n / kPrefixBytes);
        const StringView other = tail(entry, group.depth + shared);
        if (other.size() < n || std::memcmp(text.begin, other.begin, static_cast<size_t>(n)) != 0) return shared;
      }
      shared += n;
      if (n < step) return shared;
    }
  }

  // Divides by a key in the middle of some of the entries. After too many divisions, entries are divided in the middle
  // of their range of keys, of which there are at most 64.
  void divide(const Part& part) {
    uint64_t bound = part.divisions < kMaxSampled ? sample(part) : part.least + (part.greatest - part.least) / 2 + 1;
    if (bound == part.least) ++bound;
    const int64_t middle = move_less(part, bound);
    if (middle > part.first) parts_.push_back({part.first, middle, part.least, bound - 1, part.divisions + 1});
    if (middle < part.last) parts_.push_back({middle, part.last, bound, part.greatest, part.divisions + 1});
  }

  uint64_t sample(const Part& part) const {
    uint64_t keys[kSamples];
    int32_t positions[kSamples] = {};
    for (int64_t i = 0; i < kSamples; ++i) {
      keys[i] = keys_[static_cast<size_t>(part.first + (part.last - part.first) * i / kSamples)];
    }
    kernels::sort_few({keys, positions}, kSamples);
    return keys[kSamples / 2];
  }

  // Moves the entries with keys less than `bound` before the others. Returns where these begin.
  int64_t move_less(const Part& part, uint64_t bound) {
    const KeyedPositions others{other_keys_.get(), other_order_.get()};
    int64_t middle = part.first;
    for (int64_t at = part.first; at < part.last; at += kDivided) {
      const int64_t count = std::min(kDivided, part.last - at);
      pace_.spend(count);
      middle += divide_by_key(entries(at), count, bound, entries(middle), others + (at - middle));
    }
    std::copy_n(others.keys, part.last - middle, keys_.get() + middle);
    std::copy_n(others.positions, part.last - middle, order_ + middle);
    return middle;
  }

  const uint8_t* const data_;
  const uint8_t* const end_;
  const int64_t count_;
  const int64_t wanted_;
  const uint64_t flip_;  // changes keys so that their order is the one wanted
  const std::unique_ptr<uint64_t[]> keys_;
  const std::unique_ptr<uint64_t[]> other_keys_;
  const std::unique_ptr<int32_t[]> other_order_;
  const PackedRange* ranges_ = nullptr;
  int32_t* order_ = nullptr;
  std::vector<Group> waiting_;  // disjoint, of two entries and more, whose keys are not those of their depth
  std::vector<Group> loaded_;   // those whose keys were read last
  std::vector<Part> parts_;     // of one of them, disjoint
  Pace pace_;
};

// Sorts the strings of parts of a span, of the same size.
class PartSorter {
 public:
  PartSorter(const StringSpan& in, int64_t size, bool descending, int64_t count)
      : in_(in), descending_(descending), count_(count), order_(static_cast<size_t>(size)) {}

  // Returns the positions, in the part, of its strings, of which the first `count` are in order.
  const std::vector<int32_t>& sort(int64_t first) {
    const auto size = static_cast<int64_t>(order_.size());
    if (size > kFewKeys && merge_runs(in_.part(first, size), descending_, order_)) return order_;
    if (!sorter_) sorter_.emplace(in_.data, in_.num_bytes, size, descending_, count_);
    ranges_.resize(order_.size());
    for (int64_t i = 0; i < size; ++i) {
      const ByteRange range = in_.range(first + i);
      ranges_[static_cast<size_t>(i)] = {narrow<int32_t>(range.begin), narrow<int32_t>(range.end)};
    }
    sorter_->sort(ranges_.data(), order_.data());
    return order_;
  }

 private:
  const StringSpan in_;
  const bool descending_;
  const int64_t count_;
  std::vector<int32_t> order_;
  std::vector<PackedRange> ranges_;
  std::optional<StringSorter> sorter_;  // it allocates, and rows that merge_runs sorts do without it
};

}  // namespace

std::vector<int32_t> argsort_strings(const uint8_t* data, int64_t num_bytes, const std::vector<PackedRange>& ranges,
                                     bool descending, int64_t count) {
  std::vector<int32_t> order(ranges.size());
  StringSorter sorter(data, num_bytes, static_cast<int64_t>(ranges.size()), descending, count);
  sorter.sort(ranges.data(), order.data());
  return order;
}

void argsort_rows(const Runner& runner, const StringSpan& in, int64_t cols, bool descending, int64_t count,
                  int64_t* indices) {
  if (in.size() == 0) return;
  const double ns = runner.time_of(in, {100, 0.5});
  const int64_t tasks = in.size() == cols ? std::min(cols / kLeastPart, runner.choose_parts(ns)) : 1;
  if (tasks > 1) {
    std::vector<int32_t> order(static_cast<size_t>(in.size()));
    if (!merge_runs(in, descending, order)) return RowSorter(runner, in, descending, tasks).sort(count, indices);
    std::copy_n(order.begin(), count, indices);
    return;
  }
  runner.run_ranges(in.size() / cols, ns, [&](int64_t first, int64_t last) {
    PartSorter sorter(in, cols, descending, count);
    for (int64_t row = first; row < last; ++row) {
      std::copy_n(sorter.sort(row * cols).begin(), count, indices + row * count);
    }
  });
}

}  // namespace stringops::kernels
