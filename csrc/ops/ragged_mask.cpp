// The door of ragged_mask: checks, allocation, threads.
#include "kernels/ragged_mask.h"

#include <optional>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/ragged.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "ragged_mask";

Tensor ragged_mask(const Tensor& row_splits_arg, std::optional<int64_t> width_arg, const std::string& side_arg) {
  check_row_splits_shape(kOp, row_splits_arg);
  STRINGOPS_CHECK(!width_arg || *width_arg >= 0, kOp, ": expected `width` >= 0 or None, got ", width_arg.value_or(0));
  const Side side = check_side(kOp, side_arg);

  const Tensor row_splits = as_contiguous(row_splits_arg);
  const int64_t rows = row_splits.size(0) - 1;
  const int64_t* const in = const_ptr<int64_t>(row_splits);
  const RowSplits splits{in, rows, in[rows] > 0 ? in[rows] : 0};
  check_row_splits(kOp, splits, nullptr);
  const int64_t width = width_arg ? *width_arg : splits.longest_row();
  check_padded_size(kOp, rows, width);
  Tensor mask = new_tensor({rows, width}, ScalarType::Bool);
  const int64_t tasks = choose_tasks(rows * width);
  parallel_tasks(tasks, [&](int64_t t) {
    kernels::write_ragged_mask(splits, width, side, rows * t / tasks, rows * (t + 1) / tasks,
                               mutable_ptr<uint8_t>(mask));
  });
  return mask;
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def("ragged_mask(Tensor row_splits, SymInt? width=None, str side=\"right\") -> Tensor mask");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("ragged_mask", STRINGOPS_BOX(&stringops::ragged_mask));
}
