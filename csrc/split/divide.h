// Dividing strings that are cut by a rule among tasks, also inside long strings: where no piece is divided, so that
// tasks are independent.
#pragma once

#include "split/block_rule.h"
#include "split/partition.h"

namespace stringops::kernels {

Partition divide_inside_strings(const StringSpan& in, int64_t tasks, const BlockRule& rule);

}  // namespace stringops::kernels
