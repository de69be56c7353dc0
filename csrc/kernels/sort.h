// The order of strings by their bytes; for UTF-8, this is the order of code points.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"

namespace stringops::kernels {

// Returns the positions of the strings in sorted order. Equal strings keep their order.
//
// `ranges` are a copy that is within `data`. If the bytes change meanwhile (race), the result is some permutation.
std::vector<int32_t> argsort_strings(const uint8_t* data, int64_t num_bytes, const std::vector<PackedRange>& ranges);

}  // namespace stringops::kernels
