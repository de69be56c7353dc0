// Defines split and split_to_sequence, for tensors and for strings. Spec: ONNX Split-1, -2, -11, -13, -18,
// SplitToSequence-11. Custom operators may not return views, so these copy; the public functions return views, made by
// torch's operators.
#include "kernels/tensor.h"

#include <torch/headeronly/util/Half.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/format_number.h"
#include "ops/gather.h"
#include "ops/packaged.h"

namespace stringops {
namespace {

int64_t product(const Sizes& sizes, size_t first, size_t last) {
  int64_t result = 1;
  for (size_t d = first; d < last; ++d) result *= sizes[d];
  return result;
}

// Returns `axis` made non-negative. Throws std::out_of_range, which is Python's IndexError, if there is no such axis.
int64_t check_axis(const char* op, int64_t rank, int64_t axis) {
  STRINGOPS_CHECK(rank >= 1, op, ": expected `input` of rank >= 1, got a scalar");
  if (axis < -rank || axis >= rank) {
    throw std::out_of_range(std::string(op) + ": expected `axis` in [-" + std::to_string(rank) + ", " +
                            std::to_string(rank - 1) + "], got " + std::to_string(axis));
  }
  return axis < 0 ? axis + rank : axis;
}

// Checks the number of chunks. It is called before allocation, because an empty axis can be divided into any number of
// chunks.
void check_chunk_count(const char* op, int64_t count) {
  constexpr int64_t kMaxChunks = int64_t{1} << 24;  // each chunk takes about 400 bytes
  STRINGOPS_CHECK(count <= kMaxChunks, op, ": expected at most ", kMaxChunks, " chunks, got ", count);
}

// The sizes of the chunks must be non-negative, and sum to the size of the axis.
void check_chunk_sizes(const char* op, const Sizes& sizes, int64_t length, int64_t axis) {
  check_chunk_count(op, static_cast<int64_t>(sizes.size()));
  int64_t total = 0;
  bool overflow = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    STRINGOPS_CHECK(sizes[i] >= 0, op, ": expected `split` >= 0, got ", sizes[i], " at position ", i);
    overflow = overflow || __builtin_add_overflow(total, sizes[i], &total);
  }
  STRINGOPS_CHECK(!overflow && total == length, op, ": expected `split` to sum to ", length, " (size of axis ", axis,
                  "), got ", overflow ? "2**63 or more" : std::to_string(total));
}

template <class T>
Sizes read_sizes_of(const char* op, const Tensor& split) {
  const Tensor own = as_contiguous(split);
  const auto count = static_cast<size_t>(own.numel());
  const T* const values = const_ptr<T>(own);
  Sizes sizes(count);
  for (size_t i = 0; i < count; ++i) {
    if constexpr (!std::is_integral_v<T>) {
      const auto value = static_cast<double>(values[i]);
      char text[kMaxNumberText];
      STRINGOPS_CHECK(std::abs(value) < 0x1p63 && value == std::trunc(value), op,
                      ": expected `split` to hold whole numbers, got ", std::string(text, format_number(value, text)),
                      " at position ", i);
    }
    sizes[i] = static_cast<int64_t>(values[i]);
  }
  return sizes;
}

// Reads the input `split`, of a type that an opset allows.
Sizes read_sizes(const char* op, const Tensor& split) {
  check_chunk_count(op, split.numel());
  switch (split.scalar_type()) {
    case ScalarType::Int:
      return read_sizes_of<int32_t>(op, split);
    case ScalarType::Long:
      return read_sizes_of<int64_t>(op, split);
    case ScalarType::Half:
      return read_sizes_of<torch::headeronly::Half>(op, split);
    case ScalarType::Float:
      return read_sizes_of<float>(op, split);
    default:
      return read_sizes_of<double>(op, split);
  }
}

// Accepts the dtypes of ONNX's opsets 2 to 11, and bfloat16 for later ones. (Strings have overloads of their own.)
void check_onnx_dtype(const char* op, const Tensor& input, bool bfloat16) {
  constexpr ScalarType kAllowed[] = {
      ScalarType::Byte,   ScalarType::Char,   ScalarType::Short,        ScalarType::Int,          ScalarType::Long,
      ScalarType::UInt16, ScalarType::UInt32, ScalarType::UInt64,       ScalarType::Half,         ScalarType::Float,
      ScalarType::Double, ScalarType::Bool,   ScalarType::ComplexFloat, ScalarType::ComplexDouble};
  const ScalarType dtype = input.scalar_type();
  const bool allowed = std::find(std::begin(kAllowed), std::end(kAllowed), dtype) != std::end(kAllowed);
  STRINGOPS_CHECK(allowed || (bfloat16 && dtype == ScalarType::BFloat16), op,
                  ": expected `input` of a dtype that ONNX lists, got ", dtype_text(dtype));
}

// The division of an axis into chunks.
struct Chunks {
  int64_t axis;
  Sizes sizes;
  bool drops_axis = false;  // removes the axis from the chunks, whose sizes are then 1

  int64_t count() const { return static_cast<int64_t>(sizes.size()); }

  Sizes shape_of(Sizes shape, size_t chunk) const {
    shape[static_cast<size_t>(axis)] = sizes[chunk];
    if (drops_axis) shape.erase(shape.begin() + axis);
    return shape;
  }
};

std::vector<Tensor> copy_chunks(const Tensor& input_arg, const Chunks& chunks) {
  const Tensor input = as_contiguous(input_arg);
  const Sizes shape = shape_of(input);
  const auto at = static_cast<size_t>(chunks.axis);
  const int64_t blocks = product(shape, 0, at);
  const int64_t slice_bytes = static_cast<int64_t>(input.element_size()) * product(shape, at + 1, shape.size());
  const int64_t block_bytes = shape[at] * slice_bytes;

  constexpr double kNsPerByte = 0.1;
  std::vector<Tensor> result;
  result.reserve(chunks.sizes.size());
  std::vector<kernels::TensorChunk> parts;
  int64_t first_byte = 0;
  for (size_t i = 0; i < chunks.sizes.size(); ++i) {
    result.push_back(new_tensor(chunks.shape_of(shape, i), input.scalar_type()));
    parts.push_back({blocks, block_bytes, first_byte, chunks.sizes[i] * slice_bytes});
    first_byte += parts.back().num_bytes;
  }
  TorchRunner().run_ranges(
      chunks.count(), kNsPerByte * static_cast<double>(blocks * block_bytes), [&](int64_t first, int64_t last) {
        for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(last); ++i) {
          kernels::write_tensor_chunk(const_ptr<uint8_t>(input), parts[i], mutable_ptr<uint8_t>(result[i]));
        }
      });
  return result;
}

// Returns `data` and `offsets` of the first chunk, of the second one, and so on, compact.
std::vector<Tensor> copy_string_chunks(const char* op, const Strings& in, const Chunks& chunks) {
  const Sizes shape = in.shape();
  const auto at = static_cast<size_t>(chunks.axis);
  const int64_t blocks = product(shape, 0, at), slice_strings = product(shape, at + 1, shape.size());

  const double ns = TorchRunner::time_of(in.span, {1, 0.05}) / static_cast<double>(std::max<int64_t>(shape[at], 1));
  std::vector<Tensor> tensors;
  tensors.reserve(2 * chunks.sizes.size());
  int64_t first = 0;
  for (size_t i = 0; i < chunks.sizes.size(); ++i) {
    const int64_t size = chunks.sizes[i];
    Sizes offsets_shape = chunks.shape_of(shape, i);
    if (offsets_shape.empty()) offsets_shape.push_back(1);
    ++offsets_shape.back();
    const kernels::StringChunk chunk{in.span, blocks, shape[at] * slice_strings, first * slice_strings,
                                     size * slice_strings};
    auto [data, offsets] = gather(op, ns * static_cast<double>(size), chunk, std::move(offsets_shape), kNoErrors);
    tensors.push_back(std::move(data));
    tensors.push_back(std::move(offsets));
    first += size;
  }
  return tensors;
}

void check_opset(const char* op, int64_t opset, bool is_float, const char* dtype) {
  STRINGOPS_CHECK(opset >= 1, op, ": expected `opset` >= 1, got ", opset);
  STRINGOPS_CHECK(opset > 1 || is_float, op, ": expected `input` to be float16, float32 or float64 in opset 1, got ",
                  dtype);
}

void check_split_input(const char* op, const Tensor& input, int64_t opset) {
  check_cpu(op, "input", input);
  const ScalarType dtype = input.scalar_type();
  const bool is_float = dtype == ScalarType::Half || dtype == ScalarType::Float || dtype == ScalarType::Double;
  check_opset(op, opset, is_float, dtype_text(dtype));
  check_onnx_dtype(op, input, opset >= 13);
}

// The attributes of Split.
struct SplitBy {
  std::optional<Sizes> split;
  int64_t axis;
  std::optional<int64_t> num_outputs;
  int64_t opset;

  Chunks divide(const char* op, const Sizes& shape) const {
    const int64_t at = check_axis(op, static_cast<int64_t>(shape.size()), axis);
    const int64_t length = shape[static_cast<size_t>(at)];
    if (!split) return {at, equal_sizes(op, length, at)};
    const auto count = static_cast<int64_t>(split->size());
    STRINGOPS_CHECK(!num_outputs || opset < 18, op, ": expected either `split` or `num_outputs`, got both");
    STRINGOPS_CHECK(!num_outputs || *num_outputs == count, op, ": expected `split` of ", num_outputs.value_or(0),
                    " sizes (`num_outputs`), got ", count);
    check_chunk_sizes(op, *split, length, at);
    return {at, *split};
  }

 private:
  Sizes equal_sizes(const char* op, int64_t length, int64_t at) const {
    STRINGOPS_CHECK(num_outputs, op, ": expected `split` or `num_outputs`, got neither");
    const int64_t count = *num_outputs;
    STRINGOPS_CHECK(count >= 1, op, ": expected `num_outputs` >= 1, got ", count);
    if (opset < 18) {
      STRINGOPS_CHECK(length % count == 0, op, ": expected `num_outputs` to divide ", length, " (size of axis ", at,
                      ") before opset 18, got ", count);
      check_chunk_count(op, count);
      return Sizes(static_cast<size_t>(count), length / count);
    }
    // This is integer arithmetic; onnxruntime's floats are inexact beyond 2**24.
    const int64_t size = length / count + (length % count != 0);
    int64_t before_last = 0;
    const bool fits = !__builtin_mul_overflow(size, count - 1, &before_last) && before_last <= length;
    STRINGOPS_CHECK(fits, op, ": expected `num_outputs` chunks, of which only the last may be smaller, to fit into ",
                    length, " (size of axis ", at, "), got ", count);
    check_chunk_count(op, count);
    Sizes sizes(static_cast<size_t>(count), size);
    sizes.back() = length - before_last;
    return sizes;
  }
};

// Reads the input `split` of Split, for which the versions have different rules. `dtype` is that of the other input.
std::optional<Sizes> split_sizes(const char* op, const Sizes& shape, const char* dtype,
                                 const std::optional<Tensor>& split, int64_t axis, int64_t opset) {
  if (!split) return std::nullopt;
  check_axis(op, static_cast<int64_t>(shape.size()), axis);
  check_cpu(op, "split", *split);
  const char* const got = dtype_text(split->scalar_type());
  if (opset == 1) {
    STRINGOPS_CHECK(std::string_view(got) == dtype, op, ": expected `split` to be ", dtype,
                    " like `input` in opset 1, got ", got, " (pass the sizes as a list)");
  } else {
    STRINGOPS_CHECK(opset >= 13, op, ": expected `split` to be a list in opset ", opset, ", got a Tensor");
    STRINGOPS_CHECK(split->scalar_type() == ScalarType::Long, op, ": expected `split` to be int64, got ", got);
  }
  check_rank(op, "split", *split, 1);
  return read_sizes(op, *split);
}

void check_sequence_input(const char* op, const Tensor& input) {
  check_cpu(op, "input", input);
  check_onnx_dtype(op, input, true);
}

// Reads the input `split` of SplitToSequence: the sizes, or, of rank 0, the size of every chunk but the last, which may
// be smaller.
std::optional<Sizes> sequence_sizes(const char* op, const Sizes& shape, const std::optional<Tensor>& split,
                                    int64_t axis_arg) {
  if (!split) return std::nullopt;
  const int64_t axis = check_axis(op, static_cast<int64_t>(shape.size()), axis_arg);
  check_cpu(op, "split", *split);
  const ScalarType dtype = split->scalar_type();
  STRINGOPS_CHECK(dtype == ScalarType::Int || dtype == ScalarType::Long, op,
                  ": expected `split` to be int32 or int64, got ", dtype_text(dtype));
  STRINGOPS_CHECK(split->dim() <= 1, op, ": expected `split` of rank 0 or 1, got shape ", shape_text(*split));
  Sizes sizes = read_sizes(op, *split);
  if (split->dim() == 1) return sizes;
  const int64_t size = sizes[0], length = shape[static_cast<size_t>(axis)];
  STRINGOPS_CHECK(size > 0, op, ": expected `split` > 0, got ", size);
  const int64_t rest = length % size, count = length / size + (rest != 0);
  check_chunk_count(op, count);
  sizes.assign(static_cast<size_t>(count), size);
  if (rest != 0) sizes.back() = rest;
  return sizes;
}

Chunks divide_sequence(const char* op, const Sizes& shape, const std::optional<Sizes>& split, int64_t axis_arg,
                       bool keepdims) {
  const int64_t axis = check_axis(op, static_cast<int64_t>(shape.size()), axis_arg);
  const int64_t length = shape[static_cast<size_t>(axis)];
  if (split) {
    check_chunk_sizes(op, *split, length, axis);
    return {axis, *split};
  }
  check_chunk_count(op, length);
  return {axis, Sizes(static_cast<size_t>(length), 1), !keepdims};
}

std::vector<Tensor> split(const Tensor& input, std::optional<Sizes> split, int64_t axis,
                          std::optional<int64_t> num_outputs, int64_t opset) {
  constexpr const char* kOp = __func__;
  check_split_input(kOp, input, opset);
  const SplitBy by{std::move(split), axis, num_outputs, opset};
  return copy_chunks(input, by.divide(kOp, shape_of(input)));
}

std::vector<Tensor> split_Tensor(const Tensor& input, const std::optional<Tensor>& split_arg, int64_t axis,
                                 std::optional<int64_t> num_outputs, int64_t opset) {
  constexpr const char* kOp = "split";
  check_split_input(kOp, input, opset);
  const char* const dtype = dtype_text(input.scalar_type());
  return split(input, split_sizes(kOp, shape_of(input), dtype, split_arg, axis, opset), axis, num_outputs, opset);
}

std::vector<Tensor> split_strings(const Tensor& data, const Tensor& offsets, std::optional<Sizes> split, int64_t axis,
                                  std::optional<int64_t> num_outputs, int64_t opset) {
  constexpr const char* kOp = "split";
  const Strings in = check_strings(kOp, data, offsets);
  check_opset(kOp, opset, false, "strings");
  const SplitBy by{std::move(split), axis, num_outputs, opset};
  return copy_string_chunks(kOp, in, by.divide(kOp, in.shape()));
}

std::vector<Tensor> split_strings_Tensor(const Tensor& data, const Tensor& offsets,
                                         const std::optional<Tensor>& split_arg, int64_t axis,
                                         std::optional<int64_t> num_outputs, int64_t opset) {
  constexpr const char* kOp = "split";
  const UncheckedStrings in = check_strings_metadata(kOp, data, offsets);
  check_opset(kOp, opset, false, "strings");
  return split_strings(data, offsets, split_sizes(kOp, in.shape(), "strings", split_arg, axis, opset), axis,
                       num_outputs, opset);
}

std::vector<Tensor> split_to_sequence(const Tensor& input, std::optional<Sizes> split, int64_t axis, bool keepdims) {
  constexpr const char* kOp = __func__;
  check_sequence_input(kOp, input);
  return copy_chunks(input, divide_sequence(kOp, shape_of(input), split, axis, keepdims));
}

std::vector<Tensor> split_to_sequence_Tensor(const Tensor& input, const std::optional<Tensor>& split, int64_t axis,
                                             bool keepdims) {
  constexpr const char* kOp = "split_to_sequence";
  check_sequence_input(kOp, input);
  return split_to_sequence(input, sequence_sizes(kOp, shape_of(input), split, axis), axis, keepdims);
}

std::vector<Tensor> split_strings_to_sequence(const Tensor& data, const Tensor& offsets, std::optional<Sizes> split,
                                              int64_t axis, bool keepdims) {
  constexpr const char* kOp = "split_to_sequence";
  const Strings in = check_strings(kOp, data, offsets);
  return copy_string_chunks(kOp, in, divide_sequence(kOp, in.shape(), split, axis, keepdims));
}

std::vector<Tensor> split_strings_to_sequence_Tensor(const Tensor& data, const Tensor& offsets,
                                                     const std::optional<Tensor>& split, int64_t axis, bool keepdims) {
  constexpr const char* kOp = "split_to_sequence";
  const UncheckedStrings in = check_strings_metadata(kOp, data, offsets);
  return split_strings_to_sequence(data, offsets, sequence_sizes(kOp, in.shape(), split, axis), axis, keepdims);
}

// Returns an empty tensor of shape [size, 0] for each size in `split`, from which tracing gets dynamic sizes. Errors
// name `op`.
std::vector<Tensor> _split_sizes(const Tensor& split, int64_t length, int64_t axis, const std::string& op_arg) {
  const char* const op = op_arg.c_str();
  const Sizes sizes = *split_sizes(op, {length}, "", split.borrow(), 0, 18);
  check_chunk_sizes(op, sizes, length, axis);
  std::vector<Tensor> shapes;
  for (const int64_t size : sizes) shapes.push_back(new_tensor({size, 0}, ScalarType::Byte));
  return shapes;
}

}  // namespace
}  // namespace stringops

// Operators on strings have names of their own: two tensors could be strings, or `input` and sizes. torch tries the
// overloads in this order, and would take a tensor for a list of ints.
#define STRINGOPS_SPLIT(name, of_strings, options)                                                       \
  STRINGOPS_OVERLOAD(of_strings, Tensor, "(Tensor data, Tensor offsets, Tensor? split" options, "mixed") \
  STRINGOPS_OPERATOR(of_strings, "(Tensor data, Tensor offsets, SymInt[]? split=None" options, "mixed")  \
  STRINGOPS_DIFFERENTIABLE_OVERLOAD(name, Tensor, "(Tensor input, Tensor? split" options, "any")         \
  STRINGOPS_DIFFERENTIABLE(name, "(Tensor input, SymInt[]? split=None" options, "any")

STRINGOPS_SPLIT(split, split_strings, ", int axis=0, *, int? num_outputs=None, int opset=18) -> Tensor[]")
STRINGOPS_SPLIT(split_to_sequence, split_strings_to_sequence, ", int axis=0, bool keepdims=True) -> Tensor[]")
STRINGOPS_OPERATOR(_split_sizes, "(Tensor split, SymInt length, int axis, str op) -> Tensor[]", "uint8")
