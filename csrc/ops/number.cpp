#include "kernels/number.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <tuple>

#include "ops/kinds.h"

namespace stringops {
namespace {

// Calls f with a value of the C++ type of the dtype. `name` is the argument that has the dtype.
template <class F>
auto with_number(const char* op, const char* name, ScalarType dtype, F&& f) {
  switch (dtype) {
    case ScalarType::Byte:
      return f(uint8_t{});
    case ScalarType::Char:
      return f(int8_t{});
    case ScalarType::Short:
      return f(int16_t{});
    case ScalarType::Int:
      return f(int32_t{});
    case ScalarType::Long:
      return f(int64_t{});
    case ScalarType::UInt16:
      return f(uint16_t{});
    case ScalarType::UInt32:
      return f(uint32_t{});
    case ScalarType::UInt64:
      return f(uint64_t{});
    case ScalarType::Half:
      return f(Half{});
    case ScalarType::BFloat16:
      return f(BFloat{});
    case ScalarType::Float:
      return f(float{});
    case ScalarType::Double:
      return f(double{});
    case ScalarType::Bool:
      return f(bool{});
    default:
      fail(op, ": expected `", name, "` to be an integer, float16, bfloat16, float32, float64 or bool, got ",
           dtype_text(dtype));
  }
}

Tensor string_to_number(const Tensor& data, const Tensor& offsets, ScalarType dtype, const std::string& errors,
                        const std::optional<Tensor>& fill_arg) {
  constexpr const char* kOp = __func__;
  const bool fills = check_choice(kOp, "errors", errors, "raise", "fill");
  return with_number(kOp, "dtype", dtype, [&](auto fill) {
    using Number = decltype(fill);
    const Strings in = check_strings(kOp, data, offsets);
    if (fill_arg) {
      check_cpu(kOp, "fill", *fill_arg);
      check_dtype(kOp, "fill", *fill_arg, dtype);
      check_rank(kOp, "fill", *fill_arg, 0);
      std::memcpy(&fill, fill_arg->const_data_ptr(), sizeof fill);
    }
    std::atomic<bool> failed{false};
    Tensor result = reduce_tensor(kernels::ToNumber<Number>{fill, failed}, dtype, in);
    if (failed && !fills) {
      Parsed reason{};
      const std::string at = find_wrong(kOp, in, [&](StringView text) {
        Number ignored;
        reason = parse_number(text, text.end, ignored);
        return reason != Parsed::kNumber;
      });
      const char* const what = reason == Parsed::kOutOfRange ? "a number that is out of range" : "no number";
      fail(kOp, ": expected strings that are numbers of dtype ", dtype_text(dtype), ", got ", what, " at index ", at,
           " (errors='fill' gives `fill` instead)");
    }
    return result;
  });
}

// Checks the size of the result, if it may be too large, before the elements of an expanded tensor are copied.
template <class Number>
void check_expanded(const char* op, const Tensor& input) {
  Sizes strides;
  for (int64_t d = 0; d < input.dim(); ++d) strides.push_back(input.stride(d));
  if (std::find(strides.begin(), strides.end(), 0) == strides.end()) return;
  if (input.numel() <= kMaxBytes / kMaxNumberText) return;
  const auto sizes = input.sizes();
  Pace pace;
  check_result_bytes(op,
                     kernels::text_bytes(const_ptr<Number>(input), sizes.data(), strides.data(), strides.size(), pace));
}

std::tuple<Tensor, Tensor> string_from_number(const Tensor& input) {
  constexpr const char* kOp = __func__;
  check_cpu(kOp, "input", input);
  check_count(kOp, "input", input);
  Sizes shape = shape_of(input);
  if (shape.empty()) shape.push_back(1);
  ++shape.back();
  check_result_offsets(kOp, shape);
  return with_number(kOp, "input", input.scalar_type(), [&](auto example) {
    using Number = decltype(example);
    check_expanded<Number>(kOp, input);
    const Tensor numbers = as_contiguous(input);
    NewStrings result(shape);
    kernels::format_numbers(kOp, TorchRunner(), const_ptr<Number>(numbers), numbers.numel(), result);
    return result.take();
  });
}

std::tuple<Tensor, Tensor> string_unhex(const Tensor& data, const Tensor& offsets) {
  constexpr const char* kOp = __func__;
  std::atomic<bool> failed{false};
  auto result = map_tensor(kOp, kernels::Unhex{failed}, data, offsets);
  if (failed) {
    fail(kOp, ": expected strings of pairs of hexadecimal digits, got another string at index ",
         find_wrong(kOp, check_strings(kOp, data, offsets), [](StringView text) { return !kernels::is_hex(text); }));
  }
  return result;
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_to_number,
                   "(Tensor data, Tensor offsets, ScalarType dtype, str errors='raise', Tensor? fill=None) -> Tensor",
                   "any")
STRINGOPS_OPERATOR(string_from_number, "(Tensor input) -> (Tensor data, Tensor offsets)")
STRINGOPS_MAP(string_hex, Hex)
STRINGOPS_OPERATOR(string_unhex, "(Tensor data, Tensor offsets) -> (Tensor data, Tensor offsets)")
