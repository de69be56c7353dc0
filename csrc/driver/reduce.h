// string -> value of a fixed size: the driver of every operator that computes one value of each string. A functor has
//
//   using Value                        the dtype of the result
//   static constexpr Cost kCost        what it takes (driver/runner.h)
//   static constexpr bool kRuns        whether it takes many strings at once. If so:
//   void run(in, first, last, Value* out) const   sets out[i] for string i, first <= i < last. Otherwise:
//   Value operator()(StringView) const            gets one string at a time
//
// A concurrent write may change the bytes of a string while a functor reads them, but not the string's length.
#pragma once

#include <cstdint>

#include "core/strings.h"
#include "driver/runner.h"
#include "split/partition.h"

namespace stringops::kernels {

// Writes one value for each string, in row-major order.
template <class Functor>
void reduce_strings(const Runner& runner, const Functor& f, const StringSpan& in, typename Functor::Value* out) {
  const Partition partition = divide_evenly(in, runner.choose_tasks(runner.time_of(in, Functor::kCost)), false);
  runner.run(partition.tasks, [&](int64_t t) {
    const int64_t first = partition.begin(t).index, last = partition.end(t).index;
    if constexpr (Functor::kRuns) {
      f.run(in, first, last, out);
    } else {
      for_each_string(in, first, last, [&](int64_t i, ByteRange string) { out[i] = f(in.view(string)); });
    }
  });
}

}  // namespace stringops::kernels
