// Draws the arguments of operators.
#pragma once

#include "fuzz.h"
#include "operator_samples.h"

namespace stringops::fuzz {

// Those of a sample, of which the input changes some: strings of all layouts, row splits, tables, texts and numbers of
// other samples, now and then malformed ones. An empty input changes nothing.
Values draw_values(Input& in, const Operator& op);

}  // namespace stringops::fuzz
