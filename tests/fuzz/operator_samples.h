// The calls of samples.txt, which are those of the operators' suites.
#pragma once

#include "operator_lines.h"

namespace stringops::fuzz {

// Those of an operator. The operators of packages (ops/packaged.h) have those of their twins.
const std::vector<Sample>& samples_of(const Operator& op);

}  // namespace stringops::fuzz
