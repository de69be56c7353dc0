// Many adjacent strings at once, for operators of map.h whose results mostly have the sizes of their strings: results
// are written in one pass, without measuring, to the same positions as their strings. Such a functor also has
//
//   bool write_run(const AdjacentStrings& in, uint8_t* out) const
//
// which writes in.num_bytes bytes and returns true; or, if a result has another size than its string, returns false
// having written any of these bytes. Then the results are written in two passes (map.h), of which the first one only
// measures the strings from there on.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "core/offsets.h"
#include "core/rows.h"
#include "core/testing.h"
#include "kernels/driver/partition.h"
#include "kernels/driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Strings that follow each other: string i ends before byte ends[i], where string i + 1 begins; the last one ends at
// num_bytes.
struct AdjacentStrings {
  const uint8_t* data;
  int64_t num_bytes;
  const int32_t* ends;
  int64_t count;

  StringView operator[](int64_t i) const { return {data + (i == 0 ? 0 : ends[i - 1]), data + ends[i]}; }
};

// Strings of one call, unless a single one is longer: so few that they stay in the first cache.
constexpr int64_t kRunBytes = block_size(8192, 64);
constexpr int64_t kRunStrings = block_size(1024, 5);

template <class Functor, class = void>
constexpr bool kHasRuns = false;
template <class Functor>
constexpr bool kHasRuns<Functor, std::void_t<decltype(&Functor::write_run)>> = true;

// Maps strings [first, last) to bytes [at, limit) of `out`, up to the first run in which a size changes. Returns the
// index of its first string, or `last`.
template <class Functor>
int64_t map_runs(const Functor& f, const StringSpan& in, int64_t first, int64_t last, uint8_t* out,
                 int32_t* out_offsets, int64_t at, int64_t limit) {
  const simd::Primitives& simd = simd::primitives();
  std::array<int32_t, kRunStrings> ends;
  OffsetsWriter offsets(out_offsets, in.cols, first);
  int64_t done = first;
  bool same = true;
  const auto map_row = [&](int64_t, const int32_t* row, int64_t count) {
    for (int64_t k = 0; same && k < count;) {
      const ByteRange head = in.clamped(row[k], row[k + 1]);
      int64_t strings = std::min(count - k, kRunStrings);
      if (row[k + strings] - head.begin > kRunBytes) {
        const int32_t* const stop = std::upper_bound(row + k + 1, row + k + strings, head.begin + kRunBytes);
        strings = std::max<int64_t>(stop - (row + k + 1), 1);
      }
      // A private copy, as offsets may change.
      simd.clamp_offsets(row + k + 1, strings, narrow<int32_t>(head.begin), narrow<int32_t>(in.num_bytes),
                         narrow<int32_t>(head.begin), ends.data());
      const int64_t num_bytes = ends[static_cast<size_t>(strings) - 1];
      same = are_non_decreasing(ends.data(), strings) && num_bytes <= limit - at &&
             f.write_run({in.data + head.begin, num_bytes, ends.data(), strings}, out + at);
      if (!same) return;
      offsets.append(ends.data(), strings, at);
      at += num_bytes;
      k += strings;
      done += strings;
    }
  };
  if (JoinedRows::serve(in)) {
    for_each_joined(in, first, last, map_row);
  } else {
    for_each_row(in, first, last, map_row);
  }
  return at == limit ? done : std::min(done, last - 1);
}

// The end of the strings of each task whose results have their sizes, as far as tried.
using RunEnds = std::array<int64_t, Partition::kMaxTasks + 1>;

// Maps all strings, if all results have the sizes of their strings; otherwise returns false.
template <class Functor, class Allocate>
bool map_in_one_pass(const Runner& runner, const Functor& f, const StringSpan& in, const Partition& partition,
                     Allocate&& allocate, RunEnds& run_ends) {
  const auto tasks = static_cast<size_t>(partition.tasks);
  std::array<int64_t, std::tuple_size_v<RunEnds>> first_bytes;
  first_bytes[0] = 0;
  for (size_t t = 0; t < tasks; ++t) {
    const int64_t first = partition.positions[t].index, last = partition.positions[t + 1].index;
    run_ends[t] = first;
    first_bytes[t + 1] = first_bytes[t] + count_bytes(in, first, last);
  }
  // Strings that overlap may have too many bytes, although the results have fewer.
  if (in.size() == 0 || first_bytes[tasks] > kMaxBytes) return false;
  const auto out = allocate(first_bytes[tasks]);
  std::atomic<bool> same{true};
  runner.run(partition.tasks, [&](int64_t task) {
    const auto t = static_cast<size_t>(task);
    const int64_t last = partition.end(task).index;
    run_ends[t] =
        map_runs(f, in, partition.begin(task).index, last, out.data, out.offsets, first_bytes[t], first_bytes[t + 1]);
    if (run_ends[t] != last) same = false;
  });
  return same;
}

}  // namespace stringops::kernels
