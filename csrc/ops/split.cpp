// The doors of split. Spec: ONNX Split-1, -2, -11, -13, -18. An operator may not return views, so these copy; the
// public function gives views, which need no operator of ours.
#include <optional>
#include <vector>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parts.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "split";
constexpr const char* kFloatsOnly = ": expected `input` to be float16, float32 or float64 in opset 1, got ";

void check_opset(int64_t opset) {
  STRINGOPS_CHECK(opset >= 1, kOp, ": expected `opset` >= 1, got ", opset);
}

// Sizes where none are given.
Sizes equal_sizes(int64_t length, int64_t axis, std::optional<int64_t> num_outputs, int64_t opset) {
  STRINGOPS_CHECK(num_outputs, kOp, ": expected `split` or `num_outputs`, got neither");
  const int64_t count = *num_outputs;
  STRINGOPS_CHECK(count >= 1, kOp, ": expected `num_outputs` >= 1, got ", count);
  if (opset < 18) {
    STRINGOPS_CHECK(length % count == 0, kOp, ": expected `num_outputs` to divide ", length, " (size of axis ", axis,
                    ") before opset 18, got ", count);
    check_part_count(kOp, count);
    return Sizes(static_cast<size_t>(count), length / count);
  }
  // In integers: floats, which onnxruntime uses, err beyond 2**24.
  const int64_t size = length / count + (length % count != 0);
  int64_t before_last = 0;
  const bool fits = !__builtin_mul_overflow(size, count - 1, &before_last) && before_last <= length;
  STRINGOPS_CHECK(fits, kOp, ": expected `num_outputs` parts, of which only the last may be smaller, to fit into ",
                  length, " (size of axis ", axis, "), got ", count);
  check_part_count(kOp, count);
  Sizes sizes(static_cast<size_t>(count), size);
  sizes.back() = length - before_last;
  return sizes;
}

Sizes check_sizes(const Sizes& shape, int64_t axis, const std::optional<Sizes>& split,
                  std::optional<int64_t> num_outputs, int64_t opset) {
  const int64_t length = shape[static_cast<size_t>(axis)];
  if (!split) return equal_sizes(length, axis, num_outputs, opset);
  const auto count = static_cast<int64_t>(split->size());
  STRINGOPS_CHECK(!num_outputs || opset < 18, kOp, ": expected either `split` or `num_outputs`, got both");
  STRINGOPS_CHECK(!num_outputs || *num_outputs == count, kOp, ": expected `split` of ", num_outputs.value_or(0),
                  " sizes (`num_outputs`), got ", count);
  check_part_sizes(kOp, *split, length, axis);
  return *split;
}

std::vector<Tensor> split(const Tensor& input, std::optional<Sizes> split, int64_t axis_arg,
                          std::optional<int64_t> num_outputs, int64_t opset) {
  check_cpu(kOp, "input", input);
  check_opset(opset);
  const ScalarType dtype = input.scalar_type();
  const bool is_float = dtype == ScalarType::Half || dtype == ScalarType::Float || dtype == ScalarType::Double;
  STRINGOPS_CHECK(opset > 1 || is_float, kOp, kFloatsOnly, dtype_text(dtype));
  check_part_dtype(kOp, input, opset >= 13);
  const int64_t axis = check_axis(kOp, input.dim(), axis_arg);
  const auto shape = input.sizes();
  return copy_parts(input, axis, check_sizes({shape.begin(), shape.end()}, axis, split, num_outputs, opset), false);
}

std::vector<Tensor> split_strings(const Tensor& data, const Tensor& offsets, std::optional<Sizes> split,
                                  int64_t axis_arg, std::optional<int64_t> num_outputs, int64_t opset) {
  check_opset(opset);
  STRINGOPS_CHECK(opset > 1, kOp, kFloatsOnly, "strings");
  const Strings in = check_strings(kOp, data, offsets);
  const int64_t axis = check_axis(kOp, offsets.dim(), axis_arg);
  return copy_string_parts(kOp, in, axis, check_sizes(in.shape(), axis, split, num_outputs, opset), false);
}

// The sizes in `split`, as those of tensors without elements: how tracing learns of them. `op` is whom errors name.
std::vector<Tensor> split_sizes(const Tensor& split, int64_t length, int64_t axis, const std::string& op_arg) {
  const char* const op = op_arg.c_str();
  check_cpu(op, "split", split);
  STRINGOPS_CHECK(split.scalar_type() == ScalarType::Long, op, ": expected `split` to be int64, got ",
                  dtype_text(split.scalar_type()));
  check_rank(op, "split", split, 1);
  check_part_count(op, split.numel());
  const Tensor own = as_contiguous(split);
  const Sizes sizes(const_ptr<int64_t>(own), const_ptr<int64_t>(own) + own.numel());
  check_part_sizes(op, sizes, length, axis);
  std::vector<Tensor> shapes;
  for (const int64_t size : sizes) shapes.push_back(new_tensor({size, 0}, ScalarType::Byte));
  return shapes;
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  // The overload for strings comes first: it is tried first, and the other would take a tensor for a list of ints.
  m.def(
      "split.strings(Tensor data, Tensor offsets, SymInt[]? split=None, int axis=0, *, int? num_outputs=None, "
      "int opset=18) -> Tensor[]");
  m.def("split(Tensor input, SymInt[]? split=None, int axis=0, *, int? num_outputs=None, int opset=18) -> Tensor[]");
  m.def("_split_sizes(Tensor split, SymInt length, int axis, str op) -> Tensor[]");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("split.strings", STRINGOPS_BOX(&stringops::split_strings));
  m.impl("split", STRINGOPS_BOX(&stringops::split));
  m.impl("_split_sizes", STRINGOPS_BOX(&stringops::split_sizes));
}
