// Strings that are selected from other strings: at positions, where a mask is true, or all strings of several tensors.
// A selection lists runs of adjacent strings, or ranges of bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/prefetch.h"
#include "core/string_span.h"
#include "core/testing.h"
#include "driver/gather_writer.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The selection of a task.
struct Selected {
  int64_t strings = 0;
  int64_t bytes = 0;
  std::optional<int64_t> bad_item;  // the first one that is out of bounds
  bool bad_offsets = false;         // a run that was selected has malformed offsets
};

// Sums items [first, last). The first and the last offset of each run are checked.
template <class Selection>
Selected measure(const Selection& selection, int64_t first, int64_t last) {
  struct Measure {
    Selected selected;
    int64_t signs = 0;  // negative if a run is not within the bytes of its tensor

    void operator()(const AdjacentRun& run) {
      const int64_t begin = run.offsets[0], end = run.offsets[run.count];
      signs |= begin | (end - begin) | (run.source->num_bytes - end);
      selected.strings += run.count;
      selected.bytes += end - begin;
    }
    void operator()(const StringRanges& ranges) {
      const auto all = simd::primitives().summarize_ranges(ranges.begins, ranges.ends, ranges.count);
      signs |= all.valid ? ranges.source->num_bytes - all.last_end : -1;
      selected.strings += ranges.count;
      selected.bytes += all.bytes;
    }
  } measure;
  selection.for_each_run(first, last, measure);
  measure.selected.bad_offsets = measure.signs < 0;
  return measure.selected;
}

// The strings of one or more tensors, numbered in the order of the tensors, and row-major within each. Their rows are
// read in place, as few of them may be selected.
class Sources {
 public:
  explicit Sources(const std::vector<StringRows>& tensors) {
    for (const StringRows& rows : tensors) add(rows);
  }
  explicit Sources(const StringSpan& strings) { add(rows_of(strings)); }

  int64_t size() const { return firsts_.back(); }

  // Calls f for the string at each position, with runs of one string or with ranges. Negative positions count from the
  // end, as in torch; those out of bounds give string 0.
  template <class Index, class F>
  void for_each_at(const Index* positions, int64_t first, int64_t last, F&& f) const {
    const int64_t size = this->size();
    const auto checked = [size](int64_t position) {
      position += position < 0 ? size : 0;
      return static_cast<uint64_t>(position) < static_cast<uint64_t>(size) ? position : 0;
    };
    const Source* const sources = sources_.data();
    if (sources_.size() == 1 && sources->rows.rows == 1) {
      constexpr int64_t kBlock = block_size(256, 5);
      int32_t begins[kBlock], ends[kBlock];
      const auto offset_at = [&](int64_t i) { return sources->rows.offsets + checked(positions[i]); };
      for (int64_t i = first; i < last; i += kBlock) {
        const int64_t n = std::min(last - i, kBlock), next = std::min(last, i + 2 * kBlock);
        for (int64_t k = i + kBlock; k < next; ++k) prefetch(offset_at(k));
        for (int64_t k = 0; k < n; ++k) {
          const int32_t* const at = offset_at(i + k);
          begins[k] = at[0];
          ends[k] = at[1];
        }
        f(StringRanges{&sources->all, begins, ends, n});
      }
      return;
    }
    const int64_t* const firsts = firsts_.data();
    const size_t count = sources_.size();
    const int64_t second = firsts[1];
    for (int64_t i = first; i < last; ++i) {
      const int64_t position = checked(positions[i]);
      // For two tensors, there is no branch, which would be mispredicted.
      const size_t t = count <= 2 ? static_cast<size_t>(count == 2 && position >= second) : source_of(position);
      f(sources[t].string(position - firsts[t]));
    }
  }

  // Calls f(run) for strings [first, last) of tensors that have one row each.
  template <class F>
  void for_each_run(int64_t first, int64_t last, F&& f) const {
    for (size_t i = first < last ? source_of(first) : 0; first < last; ++i) {
      const int64_t end = std::min(last, firsts_[i + 1]);
      f(run_of(sources_[i].all, first - firsts_[i], end - first));
      first = end;
    }
  }

  // Estimates the time of copying strings, for Runner::choose_tasks, from the mean length of all of them.
  double time_of(int64_t num_strings) const {
    constexpr double kNsPerString = 4, kNsPerByte = 0.05;
    double bytes = 0;
    for (const auto& [rows, all] : sources_) {
      if (rows.size() > 0) bytes += std::max(0.0, double{0} + all.offsets[all.count] - all.offsets[0]);
    }
    const double mean = bytes / static_cast<double>(std::max<int64_t>(size(), 1));
    return static_cast<double>(num_strings) * (kNsPerString + kNsPerByte * mean);
  }

 private:
  struct Source {
    StringRows rows;
    StringSpan all;  // the data, and all offsets

    AdjacentRun string(int64_t i) const {
      // The division has 32 bits, because one of 64 bits takes longer. A tensor has fewer than 2**31 strings.
      const int64_t row = rows.rows == 1 ? 0 : static_cast<uint32_t>(i) / static_cast<uint32_t>(rows.cols);
      return {&all, rows.row_offsets(row) + (i - row * rows.cols), 1};
    }
  };

  static StringRows rows_of(const StringSpan& s) { return {s.data, s.num_bytes, s.offsets, 1, s.count, s.count + 1}; }

  void add(const StringRows& rows) {
    const int64_t num_offsets = rows.rows > 0 ? (rows.rows - 1) * rows.stride + rows.cols : 0;
    sources_.push_back({rows, {rows.data, rows.num_bytes, rows.offsets, num_offsets}});
    firsts_.push_back(firsts_.back() + rows.size());
  }

  size_t source_of(int64_t position) const {
    return static_cast<size_t>(std::upper_bound(firsts_.begin() + 1, firsts_.end() - 1, position) - firsts_.begin()) -
           1;
  }

  std::vector<Source> sources_;
  std::vector<int64_t> firsts_{0};  // the position of each tensor's first string, and the number of strings
};

// A selection has
//
//   int64_t num_items() const                          what is divided among tasks
//   void for_each_run(first, last, f) const            calls f(run) for each run of these items, in order
//   static constexpr bool kSingle                      most runs are of one string, the others are long
//   static constexpr bool kInOrder                     strings are read in the order of their addresses

// All strings. Their offsets are not checked before, but as they are copied.
struct AllStrings {
  static constexpr bool kSingle = false, kInOrder = false;
  const Sources& sources;

  int64_t num_items() const { return sources.size(); }

  template <class F>
  void for_each_run(int64_t first, int64_t last, F&& f) const {
    sources.for_each_run(first, last, f);
  }
};

// The strings at `positions`. Index is int32_t or int64_t. Only the offsets of these strings are read, and checked:
// they may be few of many.
template <class Index>
struct StringsAt {
  static constexpr bool kSingle = true, kInOrder = false;
  const Sources& sources;
  const Index* positions;
  int64_t count;

  int64_t num_items() const { return count; }

  template <class F>
  void for_each_run(int64_t first, int64_t last, F&& f) const {
    sources.for_each_at(positions, first, last, f);
  }

  // The first item that is not within [-size, size).
  std::optional<int64_t> find_bad(int64_t first, int64_t last) const {
    const int64_t size = sources.size();
    const auto is_bad = [&](int64_t position) { return position < -size || position >= size; };
    int32_t bad = 0;  // the loop has no exit, so that it is vectorized
    for (int64_t i = first; i < last; ++i) bad |= is_bad(positions[i]) ? 1 : 0;
    for (int64_t i = first; bad != 0 && i < last; ++i) {
      if (is_bad(positions[i])) return i;
    }
    return std::nullopt;
  }
};

template <class Index>
Selected measure(const StringsAt<Index>& selection, int64_t first, int64_t last) {
  if (const auto bad = selection.find_bad(first, last)) return {0, 0, bad, false};
  return measure<StringsAt<Index>>(selection, first, last);
}

// String i of the first tensor if byte i of `condition` is not 0, else of the second one. A tensor of one string has it
// for every i.
struct StringsWhere {
  static constexpr bool kSingle = true, kInOrder = true;
  const uint8_t* condition;
  int64_t count;
  const StringSpan& first;
  const StringSpan& second;

  int64_t num_items() const { return count; }

  template <class F>
  void for_each_run(int64_t begin, int64_t end, F&& f) const {
    const StringSpan* const spans[] = {&second, &first};
    const bool repeats[] = {second.size() == 1, first.size() == 1};
    for (int64_t i = begin; i < end; ++i) {
      const bool which = condition[i] != 0;
      f(run_of(*spans[which], repeats[which] ? 0 : i));
    }
  }
};

// Prefetches the cache lines of bytes [first, last) after `from`, at any address.
inline void prefetch_lines(const void* from, int64_t last, int64_t first = 0) {
  constexpr int64_t kLine = 64;
  const auto at = reinterpret_cast<uintptr_t>(from);
  for (; first < last; first += kLine) {
    prefetch(at + static_cast<uintptr_t>(first));
  }
}

// The strings of a tensor whose byte in `mask` is not 0. Only their offsets are checked, like those of StringsAt.
struct MaskedStrings {
  static constexpr bool kSingle = false, kInOrder = true;
  const StringSpan& strings;
  const uint8_t* mask;

  int64_t num_items() const { return strings.size(); }

  template <class F>
  void for_each_run(int64_t first, int64_t last, F&& f) const {
    constexpr int64_t kWords = block_size(16, 1);
    uint64_t words[kWords];
    int32_t begins[kWords * 64], ends[kWords * 64];
    for (int64_t at = first; at < last; at += kWords * 64) {
      const int64_t n = std::min(last - at, kWords * 64), count = words_for(n);
      simd::primitives().find_byte(mask + at, n, 0, words);
      const int64_t kept = n - simd::primitives().count_bits(words, count);
      for (int64_t w = 0; w < count; ++w) words[w] = ~words[w];
      if (n % 64 != 0) words[count - 1] &= low_bits(n % 64);
      prefetch_after(n, kept, at + n, std::min(last, at + 2 * n));
      simd::primitives().select_ranges(strings.offsets + at, words, n, begins, ends);
      f(StringRanges{&strings, begins, ends, kept});
    }
  }

 private:
  // After a block of n strings, of which `kept` are selected, [first, last) are next. Their mask is prefetched, and the
  // offsets of as many strings after them. So are their bytes, if few of them are read, but most of their cache lines:
  // the CPU prefetches those of more strings by itself, and of fewer, the writer does.
  void prefetch_after(int64_t n, int64_t kept, int64_t first, int64_t last) const {
    constexpr int64_t kFew = 4, kDistance = 256;
    if (first >= last) return;
    prefetch_lines(mask + first, last - first);
    prefetch_lines(strings.offsets + first, 2 * (last - first) * 4, (last - first) * 4);
    if (kept * kFew >= n) return;
    const int64_t begin = strings.offsets[first], bytes = strings.offsets[last] - begin;
    if (bytes < kept * kDistance) prefetch_lines(strings.data, begin + bytes, begin);
  }
};

inline simd::LimitedOffsets limited(const StringSpan& strings, int64_t first) {
  return {strings.offsets + first, static_cast<int32_t>(std::min(strings.num_bytes, kMaxBytes))};
}

inline Selected measure(const MaskedStrings& selection, int64_t first, int64_t last) {
  const StringSpan& strings = selection.strings;
  const auto sum = simd::primitives().sum_masked(limited(strings, first), selection.mask + first, last - first);
  return {sum.strings, sum.bytes, std::nullopt, !sum.valid};
}

inline Selected measure(const StringsWhere& selection, int64_t first, int64_t last) {
  const StringSpan &a = selection.first, &b = selection.second;
  const auto has_all = [&](const StringSpan& s) { return s.count == selection.count; };
  if (!has_all(a) || !has_all(b)) return measure<StringsWhere>(selection, first, last);
  const uint8_t* const condition = selection.condition + first;
  const auto sum = simd::primitives().sum_chosen(limited(a, first), limited(b, first), condition, last - first);
  return {sum.strings, sum.bytes, std::nullopt, !sum.valid};
}

}  // namespace stringops::kernels
