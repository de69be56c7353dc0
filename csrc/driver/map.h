// Drivers of operators that map each string to one string. A functor names its driver, whose file says what else the
// functor has, and passes a `Runner` and a way to allocate:
//
//   using Driver = StringMap;           one string at a time (here)
//                  TaskMap              many strings at once (here)
//                  RunMap               many strings in one pass while sizes do not change (run_map.h)
//                  PieceMap             most of each string, in one pass (kernels/strip.h)
//                  SubstringMap         a part of each string (substring_map.h)
//                  PaddedMap            by the length in code points (padded_map.h)
//
// A concurrent write may change the bytes of a string while a functor reads them, but not the length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/strings.h"
#include "driver/buffered.h"
#include "driver/runner.h"

namespace stringops::kernels {

struct MapOutput {
  uint8_t* data;
  int32_t* offsets;  // one more than there are strings; the first one is 0 already
};

// allocate(num_bytes) -> MapOutput.
template <class Functor, class Allocate>
void map_strings(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
  Functor::Driver::map(op, runner, f, in, allocate);
}

// Maps strings by a Worker for each task, which make(worker, task) sets. It keeps from one call to the next what it
// needs:
//
//   int64_t measure(in, first, last)              returns the bytes of the results of strings [first, last)
//   bool write(in, first, last, out, at, limit)   writes them to bytes [at, limit), and their offsets; false if they no
//                                                 longer fill these bytes (race)
template <class Worker, class Make, class Allocate>
void map_tasks(const char* op, const Runner& runner, const StringSpan& in, const Partition& tasks, Make&& make,
               Allocate&& allocate) {
  const auto measure = [&](int64_t t, std::optional<Worker>& worker) {
    make(worker, t);
    return OutputSize{worker->measure(in, tasks.first(t), tasks.last(t)), 0};
  };
  Buffered<Worker> results(op, runner, tasks.tasks, kMappedStrings, measure, [](const Worker&) {});
  const MapOutput out = allocate(results.size().bytes);
  results.write([&](int64_t t, Worker& worker, const OutputRange& range) {
    return worker.write(in, tasks.first(t), tasks.last(t), out, range.bytes, range.bytes_end);
  });
}

// Same as above, with a worker that is made of the functor.
template <class Worker, class Functor, class Allocate>
void map_tasks(const char* op, const Runner& runner, const Functor& f, Cost cost, const StringSpan& in,
               Allocate&& allocate) {
  map_tasks<Worker>(
      op, runner, in, divide_strings(in, runner, cost),
      [&](std::optional<Worker>& worker, int64_t) { worker.emplace(f); }, allocate);
}

// Writes strings [first, last) of a task one by one, by write(in, out, out_end) as below.
template <class Write>
bool write_each(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit,
                Write&& write) {
  OffsetsWriter offsets(out.offsets, first);
  for_each_string(in, first, last, [&](int64_t, ByteRange string) {
    at = write(in.view(string), out.data + at, out.data + limit) - out.data;
    offsets.push(at);
  });
  return at == limit;
}

// Driver for functors that take one string at a time. A functor has
//
//   static constexpr Cost kCost              what it takes (driver/runner.h)
//   int64_t size(in) const                   returns the size of the result in bytes
//   uint8_t* write(in, out, out_end) const   writes the result, nothing at or past out_end; returns its end
struct StringMap {
  template <class Functor>
  class Worker {
   public:
    explicit Worker(const Functor& f) : f_(f) {}

    int64_t measure(const StringSpan& in, int64_t first, int64_t last) const {
      int64_t bytes = 0;
      for_each_string(in, first, last, [&](int64_t, ByteRange string) { bytes += f_.size(in.view(string)); });
      return bytes;
    }

    bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
               int64_t limit) const {
      const Functor& f = f_;
      return write_each(in, first, last, out, at, limit,
                        [&](StringView string, uint8_t* to, uint8_t* to_end) { return f.write(string, to, to_end); });
    }

   private:
    const Functor& f_;
  };

  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<Worker<Functor>>(op, runner, f, Functor::kCost, in, allocate);
  }
};

// Driver for functors that take the strings of a task at once. A functor has
//
//   Cost cost() const   what it takes
//   class Worker        made of the functor: the worker of map_tasks
struct TaskMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<typename Functor::Worker>(op, runner, f, f.cost(), in, allocate);
  }
};

}  // namespace stringops::kernels
