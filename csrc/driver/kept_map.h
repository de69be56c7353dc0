// string -> string, for work that is too expensive to do twice, as searches by regular expressions: measuring keeps
// what writing needs. A functor has
//
//   Cost cost() const               what it takes (driver/runner.h)
//   class Worker                    of one task, made of the functor:
//   int64_t measure(in, first, last)   returns the bytes of the results of strings [first, last)
//   bool write(in, first, last, out, at, limit)   writes them, as functors of map_ranges (map.h)
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/copy_bytes.h"
#include "core/rows.h"
#include "driver/map.h"
#include "driver/two_pass.h"
#include "split/overlap.h"
#include "split/partition.h"

namespace stringops::kernels {

// allocate(num_bytes) -> MapOutput.
template <class Functor, class Allocate>
void map_kept(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
  using Worker = typename Functor::Worker;
  const int64_t many = overlapping_tasks(in);
  const Partition partition = divide_map(in, many, [&] { return runner.choose_tasks(runner.time_of(in, f.cost())); });
  std::vector<std::unique_ptr<Worker>> workers(static_cast<size_t>(partition.tasks));
  const std::vector<int64_t> first_bytes = measure_tasks(
      op, runner, partition.tasks,
      [&](int64_t t) {
        auto worker = std::make_unique<Worker>(f);
        const int64_t bytes = worker->measure(in, partition.begin(t).index, partition.end(t).index);
        if (many == 0) workers[static_cast<size_t>(t)] = std::move(worker);
        return bytes;
      },
      many > 0);
  const MapOutput out = allocate(first_bytes.back());
  if (in.cols == 0) std::fill_n(out.offsets, in.rows, 0);  // as in map_strings
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    const int64_t first = partition.begin(t).index, last = partition.end(t).index;
    std::unique_ptr<Worker>& worker = workers[static_cast<size_t>(t)];
    if (!worker) {
      worker = std::make_unique<Worker>(f);
      if (worker->measure(in, first, last) != limit - at) return false;
    }
    const bool complete = worker->write(in, first, last, out, at, limit);
    worker.reset();
    return complete;
  });
}

// measure() of a worker for one string after the other: measure(text) returns the size of the result for a copy.
template <class Measure>
int64_t measure_copies(const StringSpan& in, int64_t first, int64_t last, Measure&& measure) {
  int64_t bytes = 0;
  for_each_copy(in, first, last, [&](int64_t, std::string_view text) {
    bytes += measure(text);
    return true;
  });
  return bytes;
}

// write() of such a worker: write(in, out, out_end) as in map.h.
template <class Write>
bool write_each(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit,
                Write&& write) {
  OffsetsWriter offsets(out.offsets, in.cols, first);
  for_each_string(in, first, last, [&](int64_t, ByteRange string) {
    const int64_t begin = at;
    at = write(in.view(string), out.data + at, out.data + limit) - out.data;
    offsets.push(begin, at);
  });
  return at == limit;
}

// Bytes written one after the other, up to an end; what does not fit is left out.
class BoundedWriter {
 public:
  BoundedWriter(uint8_t* out, uint8_t* out_end) : at_(out), end_(out_end) {}

  // Bytes after the text, up to `readable_end`, may be read.
  void append(StringView text, const uint8_t* readable_end) {
    const int64_t room = end_ - at_, size = std::min(text.size(), room);
    if (size <= kStep && room >= kStep && readable_end - text.begin >= kStep) {
      std::memcpy(at_, text.begin, kStep);  // without a branch on the size
    } else {
      copy_exact(at_, text.begin, size);
    }
    at_ += size;
  }

  uint8_t* at() const { return at_; }

 private:
  static constexpr int64_t kStep = 32;

  uint8_t* at_;
  uint8_t* const end_;
};

}  // namespace stringops::kernels
