#include "kernels/build.h"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/length.h"
#include "ops/kinds.h"

namespace stringops {
namespace {

using kernels::Shape;

// Returns the result of a work as described in kernels/build.h.
template <class Work>
std::tuple<Tensor, Tensor> build(const char* op, const Work& work) {
  Sizes offsets_shape = work.shape();
  ++offsets_shape.back();
  check_result_offsets(op, offsets_shape);
  NewStrings result(std::move(offsets_shape));
  kernels::build_strings(op, TorchRunner(), work, result);
  return result.take();
}

std::tuple<Tensor, Tensor> string_concat(const std::vector<Tensor>& strings) {
  constexpr const char* kOp = __func__;
  STRINGOPS_CHECK(strings.size() >= 2 && strings.size() % 2 == 0, kOp,
                  ": expected `strings` to be data and offsets of at least one tensor, got ", strings.size(),
                  " tensors");
  std::vector<Strings> checked;
  std::vector<StringSpan> spans;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < strings.size(); i += 2) {
    checked.push_back(check_strings(kOp, strings[i], strings[i + 1]));
    spans.push_back(checked.back().span);
    shapes.push_back(checked.back().shape());
  }
  Shape shape = shapes[0];
  for (const Shape& other : shapes) shape = kernels::broadcast_shapes(kOp, shape, other);
  return build(kOp, kernels::Concat(spans, shapes, std::move(shape)));
}

std::tuple<Tensor, Tensor> string_repeat(const Tensor& data, const Tensor& offsets, const Tensor& counts_arg) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  check_cpu(kOp, "counts", counts_arg);
  check_dtype(kOp, "counts", counts_arg, ScalarType::Long);
  check_count(kOp, "counts", counts_arg);
  Shape counts_shape = shape_of(counts_arg);
  if (counts_shape.empty()) counts_shape.push_back(1);
  const Shape strings_shape = in.shape();
  Shape shape = kernels::broadcast_shapes(kOp, strings_shape, counts_shape);
  const Tensor counts = as_contiguous(counts_arg);
  return build(kOp,
               kernels::Repeat(in.span, strings_shape, const_ptr<int64_t>(counts), counts_shape, std::move(shape)));
}

// Throws unless `fillchar` is a character: one code point, or one byte that is not part of one.
void check_fillchar(const char* op, const std::string& fillchar) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(fillchar.data());
  const int64_t count = kernels::CodepointLength()({begin, begin + fillchar.size()});
  STRINGOPS_CHECK(count == 1, op, ": expected `fillchar` of one code point, got ", count);
}

template <kernels::Pad::Side kSide>
std::tuple<Tensor, Tensor> pad(const char* op, const Tensor& data, const Tensor& offsets, int64_t width,
                               const std::string& fillchar) {
  check_fillchar(op, fillchar);
  return map_tensor(op, kernels::Pad(width, fillchar, kSide), data, offsets);
}

std::tuple<Tensor, Tensor> string_zfill(const Tensor& data, const Tensor& offsets, int64_t width) {
  return map_tensor(__func__, kernels::ZeroFill(width), data, offsets);
}

std::tuple<Tensor, Tensor> string_slice(const Tensor& data, const Tensor& offsets, int64_t start,
                                        std::optional<int64_t> stop, const std::string& unit) {
  constexpr const char* kOp = __func__;
  return check_unit(kOp, unit) ? map_tensor(kOp, kernels::Slice<false>{start, stop}, data, offsets)
                               : map_tensor(kOp, kernels::Slice<true>{start, stop}, data, offsets);
}

}  // namespace
}  // namespace stringops

// Defines string_<name>, which pads on a side.
#define STRINGOPS_PAD(name, side)                                                                           \
  namespace stringops {                                                                                     \
  static std::tuple<Tensor, Tensor> string_##name(const Tensor& data, const Tensor& offsets, int64_t width, \
                                                  const std::string& fillchar) {                            \
    return pad<kernels::Pad::Side::side>("string_" #name, data, offsets, width, fillchar);                  \
  }                                                                                                         \
  }                                                                                                         \
  STRINGOPS_OPERATOR(string_##name,                                                                         \
                     "(Tensor data, Tensor offsets, SymInt width, str fillchar=' ')"                        \
                     " -> (Tensor data, Tensor offsets)")

STRINGOPS_PAD(ljust, kRight)
STRINGOPS_PAD(rjust, kLeft)
STRINGOPS_PAD(center, kBoth)
STRINGOPS_OPERATOR(string_zfill, "(Tensor data, Tensor offsets, SymInt width) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_slice,
                   "(Tensor data, Tensor offsets, SymInt start, SymInt? stop=None, str unit='codepoint')"
                   " -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_concat, "(Tensor[] strings) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_repeat, "(Tensor data, Tensor offsets, Tensor counts) -> (Tensor data, Tensor offsets)")
