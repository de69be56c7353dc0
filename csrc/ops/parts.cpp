#include "ops/parts.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "kernels/split.h"
#include "ops/parallel.h"

namespace stringops {
namespace {

int64_t product(const Sizes& sizes, size_t first, size_t last) {
  int64_t result = 1;
  for (size_t d = first; d < last; ++d) result *= sizes[d];
  return result;
}

Sizes part_shape(Sizes shape, int64_t axis, int64_t size, bool drop_axis) {
  shape[static_cast<size_t>(axis)] = size;
  if (drop_axis) shape.erase(shape.begin() + axis);
  return shape;
}

}  // namespace

int64_t check_axis(const char* op, int64_t rank, int64_t axis) {
  STRINGOPS_CHECK(rank >= 1, op, ": expected `input` of rank >= 1, got a scalar");
  if (axis < -rank || axis >= rank) {
    throw std::out_of_range(std::string(op) + ": expected `axis` in [-" + std::to_string(rank) + ", " +
                            std::to_string(rank - 1) + "], got " + std::to_string(axis));
  }
  return axis < 0 ? axis + rank : axis;
}

void check_part_count(const char* op, int64_t count) {
  constexpr int64_t kMost = int64_t{1} << 24;  // of about 400 bytes each
  STRINGOPS_CHECK(count <= kMost, op, ": expected at most ", kMost, " pieces, got ", count);
}

void check_part_dtype(const char* op, const Tensor& input, bool bfloat16) {
  switch (input.scalar_type()) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
    case ScalarType::UInt16:
    case ScalarType::UInt32:
    case ScalarType::UInt64:
    case ScalarType::Half:
    case ScalarType::Float:
    case ScalarType::Double:
    case ScalarType::ComplexFloat:
    case ScalarType::ComplexDouble:
    case ScalarType::Bool:
      return;
    case ScalarType::BFloat16:
      if (bfloat16) return;
      break;
    default:
      break;
  }
  fail(op, ": expected `input` of a dtype that ONNX lists, got ", dtype_text(input.scalar_type()));
}

void check_part_sizes(const char* op, const Sizes& sizes, int64_t length, int64_t axis) {
  check_part_count(op, static_cast<int64_t>(sizes.size()));
  int64_t total = 0;
  bool overflow = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    STRINGOPS_CHECK(sizes[i] >= 0, op, ": expected `split` >= 0, got ", sizes[i], " at position ", i);
    overflow = overflow || __builtin_add_overflow(total, sizes[i], &total);
  }
  STRINGOPS_CHECK(!overflow && total == length, op, ": expected `split` to sum to ", length, " (size of axis ", axis,
                  "), got ", overflow ? "2**63 or more" : std::to_string(total));
}

std::vector<Tensor> copy_parts(const Tensor& input_arg, int64_t axis, const Sizes& sizes, bool drop_axis) {
  const Tensor input = as_contiguous(input_arg);
  const auto dims = input.sizes();
  const Sizes shape(dims.begin(), dims.end());
  const auto at = static_cast<size_t>(axis);
  const int64_t blocks = product(shape, 0, at);
  const int64_t slice_bytes = static_cast<int64_t>(input.element_size()) * product(shape, at + 1, shape.size());

  std::vector<Tensor> parts;
  parts.reserve(sizes.size());
  Sizes firsts;
  int64_t first = 0;
  for (const int64_t size : sizes) {
    parts.push_back(new_tensor(part_shape(shape, axis, size, drop_axis), input.scalar_type()));
    firsts.push_back(first);
    first += size;
  }
  // A task takes several pieces, or several pieces take a task each, whichever the threads allow.
  const int64_t count = static_cast<int64_t>(sizes.size());
  const int64_t tasks = std::min(count, choose_tasks(blocks * shape[at] * slice_bytes));
  parallel_tasks(tasks, [&](int64_t t) {
    for (int64_t i = count * t / tasks; i < count * (t + 1) / tasks; ++i) {
      kernels::write_tensor_part(const_ptr<uint8_t>(input),
                                 {blocks, shape[at] * slice_bytes, firsts[i] * slice_bytes, sizes[i] * slice_bytes},
                                 mutable_ptr<uint8_t>(parts[i]));
    }
  });
  return parts;
}

std::vector<Tensor> copy_string_parts(const char* op, const Strings& in, int64_t axis, const Sizes& sizes,
                                      bool drop_axis) {
  const Sizes shape = in.shape();
  const auto at = static_cast<size_t>(axis);
  const bool last_axis = at + 1 == shape.size();
  const int64_t blocks = last_axis ? 1 : product(shape, 0, at);
  const int64_t slice_rows = last_axis ? in.span.rows : product(shape, at + 1, shape.size() - 1);

  std::vector<kernels::StringPart> parts;
  int64_t first = 0;
  for (const int64_t size : sizes) {
    if (last_axis) {
      parts.push_back({1, slice_rows, 0, slice_rows, first, size});
    } else {
      parts.push_back({blocks, shape[at] * slice_rows, first * slice_rows, size * slice_rows, 0, in.span.cols});
    }
    first += size;
  }
  const int64_t count = static_cast<int64_t>(sizes.size());
  const int64_t tasks = std::min(count, choose_tasks(strings_cost(in.span, 4)));
  const auto for_each_part = [&](auto&& f) {
    parallel_tasks(tasks, [&](int64_t t) {
      for (int64_t i = count * t / tasks; i < count * (t + 1) / tasks; ++i) f(i);
    });
  };
  Sizes bytes(sizes.size());
  for_each_part([&](int64_t i) { bytes[i] = kernels::measure_string_part(in.span, parts[i]); });
  // Rows that overlap have more bytes than `data`, and each piece its own.
  int64_t total = 0;
  for (const int64_t n : bytes) check_result_bytes(op, total += n);

  std::vector<Tensor> result;
  result.reserve(2 * sizes.size());
  std::vector<kernels::StringPartOutput> outputs;
  for (int64_t i = 0; i < count; ++i) {
    Sizes offsets_shape = part_shape(shape, axis, sizes[i], drop_axis);
    if (offsets_shape.empty()) offsets_shape.push_back(1);
    const int64_t cols = offsets_shape.back()++;
    result.push_back(new_tensor({bytes[i]}, ScalarType::Byte));
    result.push_back(new_tensor(offsets_shape, ScalarType::Int));
    const Tensor& offsets = result.back();
    // Rows without strings have one offset each, which no string writes.
    if (cols == 0) std::fill_n(mutable_ptr<int32_t>(offsets), offsets.numel(), 0);
    outputs.push_back({mutable_ptr<uint8_t>(result[2 * i]), bytes[i], mutable_ptr<int32_t>(offsets), cols});
  }
  std::atomic<bool> changed{false};
  for_each_part([&](int64_t i) {
    if (!kernels::write_string_part(in.span, parts[i], outputs[i])) changed = true;
  });
  check_unchanged(op, !changed);
  return result;
}

}  // namespace stringops
