#include "driver/join.h"

#include <tuple>
#include <vector>

#include "ops/new_strings.h"
#include "ops/register.h"
#include "ops/row_splits.h"

namespace stringops {
namespace {

using kernels::JoinInput;

std::string_view check_separator(const char* op, const std::string& separator) {
  STRINGOPS_CHECK(static_cast<int64_t>(separator.size()) <= kMaxBytes, op, ": expected `separator` of at most ",
                  kMaxBytes, " bytes, got ", separator.size());
  return separator;
}

// The results have offsets of shape `offsets_shape`.
template <class RowOf>
std::tuple<Tensor, Tensor> join(const char* op, const JoinInput<RowOf>& in, const Sizes& offsets_shape) {
  NewStrings result(offsets_shape);
  kernels::join_strings(op, TorchRunner(), in, result);
  return result.take();
}

std::tuple<Tensor, Tensor> string_join(const Tensor& data, const Tensor& offsets, const std::string& separator) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  const int64_t cols = in.cols;
  const auto row_of = [cols](int64_t row) { return ElementRange{row * cols, (row + 1) * cols}; };
  Sizes shape = in.shape();
  shape.pop_back();
  if (shape.empty()) shape.push_back(1);
  const int64_t rows = count_elements(shape);
  ++shape.back();
  check_result_offsets(kOp, shape);
  return join(kOp, JoinInput<decltype(row_of)>{in.span, rows, row_of, check_separator(kOp, separator)}, shape);
}

std::tuple<Tensor, Tensor> string_join_ragged(const Tensor& data, const Tensor& offsets, const Tensor& row_splits_arg,
                                              const std::string& separator) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  check_rank(kOp, "offsets", offsets, 1);
  check_row_splits_shape(kOp, row_splits_arg);
  const Tensor row_splits = as_contiguous(row_splits_arg);
  const RowSplits splits{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, in.span.size()};
  check_row_splits(kOp, splits, "strings");
  const auto row_of = [&splits](int64_t row) { return splits.row(row); };
  return join(kOp, JoinInput<decltype(row_of)>{in.span, splits.rows, row_of, check_separator(kOp, separator)},
              {splits.rows + 1});
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_join, "(Tensor data, Tensor offsets, str separator='') -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_join_ragged,
                   "(Tensor data, Tensor offsets, Tensor row_splits, str separator='')"
                   " -> (Tensor data, Tensor offsets)")
