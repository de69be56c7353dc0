// Runs the driver of string -> value (driver/reduce.h) for targets.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "driver/reduce.h"
#include "driver/testing.h"
#include "results.h"

namespace stringops::fuzz {

// The values of all strings, of which each has `values`.
template <class Functor>
auto reduce(const Functor& f, const StringSpan& in, int64_t tasks, int64_t values = 1) {
  const Exact<typename Functor::Value> out(in.size() * values);
  kernels::reduce_strings(kernels::LoopRunner(tasks), f, in, out.data());
  return out.copy();
}

}  // namespace stringops::fuzz
