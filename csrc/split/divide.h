// Dividing strings that are cut by a rule among tasks, also inside long strings: where no piece is divided, so that
// tasks are independent.
#pragma once

#include "split/block_splitter.h"
#include "split/partition.h"

namespace stringops::kernels {

// How many delimiters are tried as the place to divide a string: each is compared with those that may overlap it.
// Strings are not divided for delimiters of more bytes.
constexpr int64_t kMaxBoundaryTries = 64, kMaxBoundaryDelimiter = 64;

Partition divide_inside_strings(const StringSpan& in, int64_t tasks, const BlockRule& rule);

}  // namespace stringops::kernels
