#include "kernels/subword_decode.h"

#include <tuple>

#include "ops/new_strings.h"
#include "ops/register.h"
#include "ops/row_splits.h"
#include "ops/subword.h"

namespace stringops {
namespace {

std::tuple<Tensor, Tensor> subword_decode(const Tensor& ids_arg, const Tensor& row_splits_arg, const Tensor& table,
                                          bool skip_special_tokens) {
  constexpr const char* kOp = __func__;
  check_cpu(kOp, "ids", ids_arg);
  check_dtype(kOp, "ids", ids_arg, ScalarType::Long);
  check_rank(kOp, "ids", ids_arg, 1);
  check_row_splits_shape(kOp, row_splits_arg);
  const Tensor ids = as_contiguous(ids_arg), row_splits = as_contiguous(row_splits_arg);
  const RowSplits splits{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, ids.size(0)};
  check_row_splits(kOp, splits, "ids");
  const subword::Table opened = check_subword_table(kOp, table);
  NewStrings result({splits.rows + 1});
  kernels::decode_subwords(kOp, TorchRunner(), {const_ptr<int64_t>(ids), splits, opened, skip_special_tokens}, result);
  return result.take();
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(subword_decode,
                   "(Tensor ids, Tensor row_splits, Tensor table, *, bool skip_special_tokens=True)"
                   " -> (Tensor data, Tensor offsets)")
