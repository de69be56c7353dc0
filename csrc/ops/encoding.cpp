#include "kernels/encoding.h"

#include <string>
#include <tuple>

#include "ops/kinds.h"
#include "ops/row_splits.h"

namespace stringops {
namespace {

std::tuple<Tensor, Tensor> string_repair(const Tensor& data, const Tensor& offsets, const std::string& errors) {
  constexpr const char* kOp = __func__;
  return map_tensor(kOp, kernels::Repair{!check_choice(kOp, "errors", errors, "replace", "ignore")}, data, offsets);
}

// Returns (values, row_splits), with a functor as described in kernels/encoding.h.
template <class Functor>
std::tuple<Tensor, Tensor> values_tensors(const char* op, const Functor& f, ScalarType dtype, const Tensor& data,
                                          const Tensor& offsets) {
  const Strings in = check_strings(op, data, offsets);
  Tensor row_splits = new_tensor({in.span.size() + 1}, ScalarType::Long);
  Tensor values;
  kernels::string_values(op, TorchRunner(), f, in.span, mutable_ptr<int64_t>(row_splits), [&](int64_t count) {
    values = new_tensor({count}, dtype);
    return mutable_ptr<typename Functor::Value>(values);
  });
  return {std::move(values), std::move(row_splits)};
}

std::tuple<Tensor, Tensor> string_codepoints(const Tensor& data, const Tensor& offsets) {
  return values_tensors(__func__, kernels::Codepoints(), ScalarType::Int, data, offsets);
}

std::tuple<Tensor, Tensor> string_bytes(const Tensor& data, const Tensor& offsets) {
  return values_tensors(__func__, kernels::ByteValues(), ScalarType::Byte, data, offsets);
}

std::tuple<Tensor, Tensor> string_from_codepoints(const Tensor& values_arg, const Tensor& row_splits_arg) {
  constexpr const char* kOp = __func__;
  check_cpu(kOp, "values", values_arg);
  const ScalarType dtype = values_arg.scalar_type();
  STRINGOPS_CHECK(dtype == ScalarType::Int || dtype == ScalarType::Long, kOp,
                  ": expected `values` to be int32 or int64, got ", dtype_text(dtype));
  check_rank(kOp, "values", values_arg, 1);
  check_count(kOp, "values", values_arg);
  check_row_splits_shape(kOp, row_splits_arg);
  const Tensor values = as_contiguous(values_arg), row_splits = as_contiguous(row_splits_arg);
  const RowSplits splits{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, values.size(0)};
  check_row_splits(kOp, splits, "values");
  NewStrings result({splits.rows + 1});
  if (dtype == ScalarType::Int) {
    kernels::encode_rows(kOp, TorchRunner(), const_ptr<int32_t>(values), splits, result);
  } else {
    kernels::encode_rows(kOp, TorchRunner(), const_ptr<int64_t>(values), splits, result);
  }
  return result.take();
}

}  // namespace
}  // namespace stringops

STRINGOPS_REDUCE(string_is_utf8, IsUtf8, ScalarType::Bool)
STRINGOPS_OPERATOR(string_repair,
                   "(Tensor data, Tensor offsets, str errors='replace') -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_codepoints, "(Tensor data, Tensor offsets) -> (Tensor values, Tensor row_splits)",
                   "int32 int64")
STRINGOPS_OPERATOR(string_bytes, "(Tensor data, Tensor offsets) -> (Tensor values, Tensor row_splits)", "uint8 int64")
STRINGOPS_OPERATOR(string_from_codepoints, "(Tensor values, Tensor row_splits) -> (Tensor data, Tensor offsets)")
