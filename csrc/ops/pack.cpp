// Spec: OpenVINO StringTensorPack-15 and StringTensorUnpack-15.
#include "kernels/pack.h"

#include <tuple>

#include "ops/new_strings.h"
#include "ops/register.h"

namespace stringops {
namespace {

template <class Index>
std::tuple<Tensor, Tensor> pack(const char* op, const Tensor& begins_arg, const Tensor& ends_arg,
                                const Tensor& symbols) {
  const auto shape = begins_arg.sizes();
  Sizes offsets_shape(shape.begin(), shape.end());
  ++offsets_shape.back();
  check_result_offsets(op, offsets_shape);

  const Tensor begins = as_contiguous(begins_arg), ends = as_contiguous(ends_arg);
  NewStrings result(offsets_shape);
  kernels::pack_strings<Index>(
      op, TorchRunner(),
      {const_ptr<Index>(begins), const_ptr<Index>(ends), const_ptr<uint8_t>(symbols), symbols.numel(), begins.numel()},
      result);
  return result.take();
}

std::tuple<Tensor, Tensor> string_tensor_pack(const Tensor& begins, const Tensor& ends, const Tensor& symbols) {
  constexpr const char* kOp = __func__;
  check_cpu(kOp, "begins", begins);
  check_cpu(kOp, "ends", ends);
  check_cpu(kOp, "symbols", symbols);
  const ScalarType index = begins.scalar_type();
  STRINGOPS_CHECK(index == ScalarType::Int || index == ScalarType::Long, kOp,
                  ": expected `begins` to be int32 or int64, got ", dtype_text(index));
  STRINGOPS_CHECK(ends.scalar_type() == index, kOp, ": expected `ends` to be ", dtype_text(index),
                  " like `begins`, got ", dtype_text(ends.scalar_type()));
  STRINGOPS_CHECK(begins.sizes().equals(ends.sizes()), kOp, ": expected `ends` of the shape of `begins` ",
                  shape_text(begins), ", got shape ", shape_text(ends));
  STRINGOPS_CHECK(begins.dim() >= 1, kOp, ": expected `begins` of rank >= 1, got a scalar (use .reshape(1))");
  check_dtype(kOp, "symbols", symbols, ScalarType::Byte);
  check_rank(kOp, "symbols", symbols, 1);
  STRINGOPS_CHECK(symbols.is_contiguous(), kOp, ": expected `symbols` to be contiguous, got stride ", symbols.stride(0),
                  " (use .contiguous())");
  return index == ScalarType::Int ? pack<int32_t>(kOp, begins, ends, symbols)
                                  : pack<int64_t>(kOp, begins, ends, symbols);
}

struct Unpacked {
  Tensor begins, ends;
  Tensor symbols;
};

Unpacked unpack(const Tensor& data, const Tensor& offsets, bool copies_bytes) {
  constexpr const char* kOp = "string_tensor_unpack";  // errors of the private operator name the public one
  const Strings in = check_strings(kOp, data, offsets);
  Unpacked result{new_tensor(in.shape(), ScalarType::Int), new_tensor(in.shape(), ScalarType::Int), {}};
  kernels::unpack_strings(kOp, TorchRunner(), in.span, copies_bytes, [&](int64_t num_bytes) -> kernels::UnpackOutput {
    if (copies_bytes) result.symbols = new_tensor({num_bytes}, ScalarType::Byte);
    return {mutable_ptr<int32_t>(result.begins), mutable_ptr<int32_t>(result.ends),
            copies_bytes ? mutable_ptr<uint8_t>(result.symbols) : nullptr};
  });
  return result;
}

std::tuple<Tensor, Tensor, Tensor> string_tensor_unpack(const Tensor& data, const Tensor& offsets) {
  Unpacked u = unpack(data, offsets, true);
  return {std::move(u.begins), std::move(u.ends), std::move(u.symbols)};
}

std::tuple<Tensor, Tensor> _string_tensor_unpack_ranges(const Tensor& data, const Tensor& offsets) {
  Unpacked u = unpack(data, offsets, false);
  return {std::move(u.begins), std::move(u.ends)};
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_tensor_pack, "(Tensor begins, Tensor ends, Tensor symbols) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_tensor_unpack,
                   "(Tensor data, Tensor offsets) -> (Tensor begins, Tensor ends, Tensor symbols)", "int32 int32 uint8")
STRINGOPS_OPERATOR(_string_tensor_unpack_ranges, "(Tensor data, Tensor offsets) -> (Tensor begins, Tensor ends)",
                   "int32 int32")
