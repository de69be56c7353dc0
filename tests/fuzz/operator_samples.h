// The calls of samples.txt, which are those of the operators' suites (write_samples.py).
#pragma once

#include "operator_call.h"

namespace stringops::fuzz {

struct Sample {
  Values values;
  uint64_t want = 0;  // the hash of the results, or of the error, that torch gave
  bool is_error = false;
};

// Those of an operator. The operators of packages (ops/packaged.h) have those of their twins.
const std::vector<Sample>& samples_of(const Operator& op);

}  // namespace stringops::fuzz
