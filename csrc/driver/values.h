// string -> values of one type, as ragged rows: the driver of operators such as string_codepoints. A functor has
//
//   using Value                      the dtype of the values
//   using Length                     a functor that counts the values of a string (driver/reduce.h)
//   static constexpr Cost kCost      what counting and writing take (driver/runner.h)
//   bool write(in, first, last, out, out_end) const    writes the values of strings [first, last), nothing at or past
//                                    out_end; returns whether they end there
//
// A concurrent write may change the strings after they were counted; the result is then rejected.
#pragma once

#include <cstdint>

#include "core/fail.h"
#include "driver/reduce.h"
#include "driver/two_pass.h"
#include "split/partition.h"

namespace stringops::kernels {

// Sets row_splits, of one element more than there are strings. allocate(num_values) -> Value*.
template <class Functor, class Allocate>
void string_values(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, int64_t* row_splits,
                   Allocate&& allocate) {
  const int64_t count = in.size();
  row_splits[0] = 0;
  reduce_strings(runner, typename Functor::Length(), in, row_splits + 1);
  for (int64_t i = 0; i < count; ++i) row_splits[i + 1] += row_splits[i];
  STRINGOPS_CHECK(row_splits[count] <= kMaxOffsets, op, ": the result has ", row_splits[count],
                  " values; expected at most ", kMaxOffsets, " (pass fewer or shorter strings)");
  typename Functor::Value* const out = allocate(row_splits[count]);
  const Partition partition = divide_evenly(in, runner.choose_tasks(runner.time_of(in, Functor::kCost)), false);
  write_tasks(op, runner, partition.tasks, [&](int64_t t) {
    const int64_t first = partition.begin(t).index, last = partition.end(t).index;
    return f.write(in, first, last, out + row_splits[first], out + row_splits[last]);
  });
}

}  // namespace stringops::kernels
