// Calls of operators as lines of text, which write_samples.py describes.
#pragma once

#include <string_view>
#include <vector>

#include "operator_call.h"

namespace stringops::fuzz {

struct Sample {
  const Operator* op = nullptr;
  Values values;
  uint64_t want = 0;  // the hash of the results, or of the error, that torch gave
  bool is_error = false;
};

// Each line ends with a line feed.
std::vector<Sample> read_lines(std::string_view text);

}  // namespace stringops::fuzz
