// Driver for functors whose results mostly have the sizes of their strings. Many strings are written in one pass,
// without measuring, to the positions that they have in the input. If a size changes, two passes follow, of which the
// first one measures only the strings from there on. A functor has what a StringMap needs (map.h), and
//
//   bool write_run(strings, out) const   writes the results of AdjacentStrings, num_bytes bytes; or returns false if a
//                                        result has another size than its string, having written any of these bytes
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/narrow.h"
#include "core/strings.h"
#include "driver/map.h"
#include "driver/runner.h"
#include "split/blocks.h"

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

// Maps strings [first, last) to bytes [at, limit) of `out`, up to the first run in which a size changes. Returns the
// index of its first string, or `last`.
template <class Functor>
int64_t map_runs(const Functor& f, const StringSpan& in, int64_t first, int64_t last, uint8_t* out,
                 int32_t* out_offsets, int64_t at, int64_t limit) {
  OffsetsWriter offsets(out_offsets, first);
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
      const StringView string = in.view(in.range(block.first_string));
      const auto size = narrow<int32_t>(string.size());
      same = map({string.begin, size, &size, 1});
      reader.skip_rest();
    }
  }
  return at == limit ? done : std::min(done, last - 1);
}

struct RunMap {
  // The worker of a task, whose first strings, up to `same`, have results of their sizes.
  template <class Functor>
  class Worker : public StringMap::Worker<Functor> {
   public:
    Worker(const Functor& f, int64_t same) : StringMap::Worker<Functor>(f), same_(same) {}

    int64_t measure(const StringSpan& in, int64_t first, int64_t last) const {
      return count_bytes(in, first, same_) + StringMap::Worker<Functor>::measure(in, same_, last);
    }

   private:
    const int64_t same_;
  };

  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    const Partition tasks = divide_strings(in, runner, Functor::kCost);
    std::vector<int64_t> same(static_cast<size_t>(tasks.tasks));
    if (map_in_one_pass(runner, f, in, tasks, allocate, same)) return;
    map_tasks<Worker<Functor>>(
        op, runner, in, tasks, [&](auto& worker, int64_t t) { worker.emplace(f, same[static_cast<size_t>(t)]); },
        allocate);
  }

 private:
  // Maps all strings, if all results have the sizes of their strings; otherwise returns false. Sets same[t] to the end
  // of the strings of task t whose results have their sizes, as far as tried.
  template <class Functor, class Allocate>
  static bool map_in_one_pass(const Runner& runner, const Functor& f, const StringSpan& in, const Partition& tasks,
                              Allocate&& allocate, std::vector<int64_t>& same) {
    std::vector<int64_t> first_bytes(same.size() + 1, 0);
    for (size_t t = 0; t < same.size(); ++t) {
      const auto task = static_cast<int64_t>(t);
      same[t] = tasks.first(task);
      first_bytes[t + 1] = first_bytes[t] + count_bytes(in, tasks.first(task), tasks.last(task));
    }
    if (in.size() == 0) return false;
    const MapOutput out = allocate(first_bytes.back());
    return try_write_tasks(runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
      const int64_t last = tasks.last(t);
      const int64_t end = map_runs(f, in, tasks.first(t), last, out.data, out.offsets, at, limit);
      same[static_cast<size_t>(t)] = end;
      return end == last;
    });
  }
};

}  // namespace stringops::kernels
