// Sorts one row of strings by several tasks, as a sample sort: some strings of the row divide it, and each task sorts
// the strings between two of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/narrow.h"
#include "core/poll.h"
#include "core/testing.h"
#include "driver/two_pass.h"
#include "kernels/sort.h"
#include "simd/primitives.h"

namespace stringops::kernels {

class RowSorter {
 public:
  RowSorter(const Runner& runner, const StringSpan& in, bool descending, int64_t tasks)
      : runner_(runner), in_(in), descending_(descending), tasks_{in.size(), tasks} {}

  // Writes the positions of the first `count` strings.
  void sort(int64_t count, int64_t* indices) {
    choose_bounds();
    divide();
    runner_.run(tasks_.tasks, [&](int64_t part) { sort_part(part, count, indices); });
  }

 private:
  static constexpr int64_t kCompared = block_size(256, 4);  // strings that are compared with a bound at once
  static constexpr int64_t kSampled = block_size(64, 2);    // strings, of which one is sorted for the bounds
  static constexpr int64_t kMaxSample = 2048;

  PackedRange range(int64_t i) const {
    const ByteRange range = in_.range(i);
    return {narrow<int32_t>(range.begin), narrow<int32_t>(range.end)};
  }

  void choose_bounds() {
    std::vector<PackedRange> sample(
        static_cast<size_t>(std::max(std::min(in_.size() / kSampled, kMaxSample), tasks_.tasks)));
    const EvenTasks positions{in_.size(), static_cast<int64_t>(sample.size())};
    for (size_t k = 0; k < sample.size(); ++k) sample[k] = range(positions.begin(static_cast<int64_t>(k)));
    const std::vector<int32_t> sorted = argsort_strings(in_.data, in_.num_bytes, sample, descending_);
    for (size_t k = 1; k < static_cast<size_t>(tasks_.tasks); ++k) {
      bounds_.push_back(sample[static_cast<size_t>(sorted[k * sample.size() / static_cast<size_t>(tasks_.tasks)])]);
    }
  }

  // Writes the number of bounds that are not after each string, and orders the strings by it.
  void divide() {
    const auto num_parts = static_cast<size_t>(tasks_.tasks);
    const auto size = static_cast<size_t>(in_.size());
    const std::unique_ptr<uint16_t[]> part_of(new uint16_t[size]);
    std::vector<std::vector<int64_t>> begins(num_parts, std::vector<int64_t>(num_parts + 1));  // by task, then part
    runner_.run(tasks_.tasks, [&](int64_t t) {
      Pace pace;
      for (int64_t i = tasks_.begin(t), n; i < tasks_.begin(t + 1); i += n) {
        n = std::min(kCompared, tasks_.begin(t + 1) - i);
        pace.spend(4 * n * tasks_.tasks);
        compare(i, n, part_of.get() + i);
        for (int64_t k = i; k < i + n; ++k) ++begins[static_cast<size_t>(t)][part_of[static_cast<size_t>(k)]];
      }
    });
    int64_t at = 0;
    for (size_t part = 0; part <= num_parts; ++part) {
      first_.push_back(at);
      for (auto& of_task : begins) at += std::exchange(of_task[part], at);
    }
    divided_.reset(new int32_t[size]);
    runner_.run(tasks_.tasks, [&](int64_t t) {
      auto& next = begins[static_cast<size_t>(t)];
      for (int64_t i = tasks_.begin(t); i < tasks_.begin(t + 1); ++i) {
        divided_[static_cast<size_t>(next[part_of[static_cast<size_t>(i)]]++)] = narrow<int32_t>(i);
      }
    });
  }

  void compare(int64_t first, int64_t n, uint16_t* parts) const {
    int8_t orders[kCompared];
    std::fill_n(parts, n, uint16_t{0});
    const int32_t* const at = in_.offsets + first;
    for (const auto& [begin, end] : bounds_) {
      const simd::StringRun strings{in_.data, in_.num_bytes, at, at + 1, false},
          bound{in_.data, in_.num_bytes, &begin, &end, true};
      simd::primitives().compare_strings(strings, bound, n, orders);
      const int sign = descending_ ? -1 : 1;
      for (int64_t k = 0; k < n; ++k) parts[k] = static_cast<uint16_t>(parts[k] + (sign * orders[k] >= 0));
    }
  }

  void sort_part(int64_t part, int64_t count, int64_t* indices) const {
    const int64_t first = first_[static_cast<size_t>(part)], last = first_[static_cast<size_t>(part) + 1];
    if (first >= count) return;
    const int32_t* const positions = divided_.get() + first;
    std::vector<PackedRange> ranges(static_cast<size_t>(last - first));
    for (size_t k = 0; k < ranges.size(); ++k) ranges[k] = range(positions[k]);
    const std::vector<int32_t> sorted = argsort_strings(in_.data, in_.num_bytes, ranges, descending_, count - first);
    const int64_t wanted = std::min(count, last) - first;
    for (int64_t k = 0; k < wanted; ++k) indices[first + k] = positions[sorted[static_cast<size_t>(k)]];
  }

  const Runner& runner_;
  const StringSpan& in_;
  const bool descending_;
  const EvenTasks tasks_;
  std::vector<PackedRange> bounds_;     // in the order that is wanted
  std::vector<int64_t> first_;          // the begin of each part in divided_
  std::unique_ptr<int32_t[]> divided_;  // positions of strings by part, in order
};

}  // namespace stringops::kernels
