// What Split and SplitToSequence share: the checks of an axis and of the sizes into which it is cut, and the copying.
// torch_stringops/ops/_parts.py says the same of the views that the public functions give.
#pragma once

#include <vector>

#include "ops/check.h"
#include "ops/stable_abi.h"

namespace stringops {

// `axis` as a non-negative one of `rank` axes; else std::out_of_range, Python's IndexError.
int64_t check_axis(const char* op, int64_t rank, int64_t axis);

// Refused before anything is allocated for them: an empty axis can be asked for any number of pieces.
void check_part_count(const char* op, int64_t count);

// The dtypes of ONNX's versions 2 to 11, and the bfloat16 of later ones. (Strings are pairs of tensors.)
void check_part_dtype(const char* op, const Tensor& input, bool bfloat16);

// One size a piece: none negative, and together the size of the axis.
void check_part_sizes(const char* op, const Sizes& sizes, int64_t length, int64_t axis);

// The pieces of `input`, without the axis if `drop_axis` (then all sizes are 1).
std::vector<Tensor> copy_parts(const Tensor& input, int64_t axis, const Sizes& sizes, bool drop_axis);

// The same of strings: `data` and `offsets` of each piece in turn, compact.
std::vector<Tensor> copy_string_parts(const char* op, const Strings& in, int64_t axis, const Sizes& sizes,
                                      bool drop_axis);

}  // namespace stringops
