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
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/narrow.h"
#include "core/rows.h"
#include "driver/runner.h"
#include "split/blocks.h"
#include "split/partition.h"

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

template <class Functor, class = void>
constexpr bool kHasRuns = false;
template <class Functor>
constexpr bool kHasRuns<Functor, std::void_t<decltype(&Functor::write_run)>> = true;

// Maps strings [first, last) to bytes [at, limit) of `out`, up to the first run in which a size changes. Returns the
// index of its first string, or `last`.
template <class Functor>
int64_t map_runs(const Functor& f, const StringSpan& in, int64_t first, int64_t last, uint8_t* out,
                 int32_t* out_offsets, int64_t at, int64_t limit) {
  OffsetsWriter offsets(out_offsets, in.cols, first);
  BlockReader reader(in, {first, 0}, {last, 0});
  Block block;
  int64_t done = first;
  const auto map = [&](const AdjacentStrings& strings) {
    if (strings.num_bytes > limit - at || !f.write_run(strings, out + at)) return false;
    offsets.append(strings.ends, strings.count, at);
    at += strings.num_bytes;
    done += strings.count;
    return true;
  };
  bool same = true;
  while (same && reader.next(block)) {
    if (block.num_strings > 0) {
      same = map({block.data, block.num_bytes, block.string_ends.data(), block.num_strings});
    } else {  // a string that is longer than a block, as a whole
      const StringView string = in.view(in.range(block.first_string / in.cols, block.first_string % in.cols));
      const auto size = narrow<int32_t>(string.size());
      same = map({string.begin, size, &size, 1});
      reader.skip_rest();
    }
  }
  return at == limit ? done : std::min(done, last - 1);
}

// The end of the strings of each task whose results have their sizes, as far as tried.
using RunEnds = std::vector<int64_t>;

// Maps all strings, if all results have the sizes of their strings; otherwise returns false.
template <class Functor, class Allocate>
bool map_in_one_pass(const Runner& runner, const Functor& f, const StringSpan& in, const Partition& partition,
                     Allocate&& allocate, RunEnds& run_ends) {
  const auto tasks = static_cast<size_t>(partition.tasks);
  std::vector<int64_t> first_bytes(tasks + 1, 0);
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
