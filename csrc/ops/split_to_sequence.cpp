// The doors of split_to_sequence. Spec: ONNX SplitToSequence-11. They copy, as those of split do; a single size for all
// pieces is a list by the time it comes here.
#include <optional>
#include <vector>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parts.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "split_to_sequence";

Sizes check_sizes(const Sizes& shape, int64_t axis, const std::optional<Sizes>& split) {
  const int64_t length = shape[static_cast<size_t>(axis)];
  if (!split) check_part_count(kOp, length);
  if (!split) return Sizes(static_cast<size_t>(length), 1);
  check_part_sizes(kOp, *split, length, axis);
  return *split;
}

std::vector<Tensor> split_to_sequence(const Tensor& input, std::optional<Sizes> split, int64_t axis_arg,
                                      bool keepdims) {
  check_cpu(kOp, "input", input);
  check_part_dtype(kOp, input, true);
  const int64_t axis = check_axis(kOp, input.dim(), axis_arg);
  const auto shape = input.sizes();
  return copy_parts(input, axis, check_sizes({shape.begin(), shape.end()}, axis, split), !split && !keepdims);
}

std::vector<Tensor> split_to_sequence_strings(const Tensor& data, const Tensor& offsets, std::optional<Sizes> split,
                                              int64_t axis_arg, bool keepdims) {
  const Strings in = check_strings(kOp, data, offsets);
  const int64_t axis = check_axis(kOp, offsets.dim(), axis_arg);
  return copy_string_parts(kOp, in, axis, check_sizes(in.shape(), axis, split), !split && !keepdims);
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  // Strings first, for the reason that split gives.
  m.def(
      "split_to_sequence.strings(Tensor data, Tensor offsets, SymInt[]? split=None, int axis=0, bool keepdims=True)"
      " -> Tensor[]");
  m.def("split_to_sequence(Tensor input, SymInt[]? split=None, int axis=0, bool keepdims=True) -> Tensor[]");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("split_to_sequence.strings", STRINGOPS_BOX(&stringops::split_to_sequence_strings));
  m.impl("split_to_sequence", STRINGOPS_BOX(&stringops::split_to_sequence));
}
