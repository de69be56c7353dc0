// string -> value of a fixed size: the driver of every operator that computes one value of each string. A functor has
//
//   using Value                        the dtype of the result
//   static constexpr Cost kCost        what it takes (driver/runner.h)
//   Value operator()(StringView) const
//
// It gets one string at a time. A concurrent write may change the bytes while it reads them, but not the length.
#pragma once

#include <cstdint>

#include "core/rows.h"
#include "kernels/driver/partition.h"
#include "kernels/driver/runner.h"

namespace stringops::kernels {

// One value for each string, in row-major order.
template <class Functor>
void reduce_strings(const Runner& runner, const Functor& f, const StringSpan& in, typename Functor::Value* out) {
  const Partition partition = divide_evenly(in, runner.choose_tasks(runner.time_of(in, Functor::kCost)), false);
  runner.run(partition.tasks, [&](int64_t t) {
    for_each_string(in, partition.begin(t).index, partition.end(t).index,
                    [&](int64_t i, ByteRange string) { out[i] = f(in.view(string)); });
  });
}

}  // namespace stringops::kernels
