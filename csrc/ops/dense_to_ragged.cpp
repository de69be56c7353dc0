// The door of dense_to_ragged: checks, allocation, threads.
#include "kernels/dense_to_ragged.h"

#include <tuple>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/ragged.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "dense_to_ragged";

// Row splits of rows of these lengths, each read once.
Tensor splits_of_lengths(const Tensor& lengths_arg, int64_t width) {
  const Tensor lengths = as_contiguous(lengths_arg);
  const int64_t rows = lengths.size(0);
  Tensor row_splits = new_tensor({rows + 1}, ScalarType::Long);
  const int64_t* const in = const_ptr<int64_t>(lengths);
  int64_t* const out = mutable_ptr<int64_t>(row_splits);
  out[0] = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t length = in[r];
    STRINGOPS_CHECK(length >= 0 && length <= width, kOp, ": expected `lengths` within [0, ", width,
                    "] (columns of `dense`), got ", length, " at row ", r);
    STRINGOPS_CHECK(!__builtin_add_overflow(out[r], length, &out[r + 1]), kOp,
                    ": expected `lengths` of at most 2**63 - 1 elements in all, got more at row ", r);
  }
  return row_splits;
}

std::tuple<Tensor, Tensor> dense_to_ragged(const Tensor& dense_arg, const Tensor& lengths,
                                           const std::string& side_arg) {
  check_cpu(kOp, "dense", dense_arg);
  STRINGOPS_CHECK(dense_arg.dim() >= 2, kOp, ": expected `dense` of shape [rows, columns, ...], got shape ",
                  shape_text(dense_arg));
  check_cpu(kOp, "lengths", lengths);
  check_dtype(kOp, "lengths", lengths, ScalarType::Long);
  STRINGOPS_CHECK(lengths.dim() == 1 && lengths.size(0) == dense_arg.size(0), kOp, ": expected `lengths` of shape [",
                  dense_arg.size(0), "] (rows of `dense`), got shape ", shape_text(lengths));
  check_count(kOp, "lengths", lengths);
  const Side side = check_side(kOp, side_arg);

  Tensor row_splits = splits_of_lengths(lengths, dense_arg.size(1));
  const Tensor dense = as_contiguous(dense_arg);
  const int64_t* const own = const_ptr<int64_t>(row_splits);
  const RowSplits splits{own, dense.size(0), own[dense.size(0)]};
  const auto sizes = dense.sizes();
  Sizes values_sizes{splits.num_values};
  values_sizes.insert(values_sizes.end(), sizes.begin() + 2, sizes.end());
  check_result_sizes(kOp, values_sizes, scalar_bytes(dense));
  Tensor values = new_tensor(values_sizes, dense.scalar_type());

  const DenseShape shape{dense.size(1), element_bytes(dense, 2), side};
  const int64_t tasks = choose_tasks(splits.num_values * shape.element_bytes);
  parallel_tasks(tasks, [&](int64_t t) {
    kernels::write_dense_to_ragged(const_ptr<uint8_t>(dense), shape, splits, splits.rows * t / tasks,
                                   splits.rows * (t + 1) / tasks, mutable_ptr<uint8_t>(values));
  });
  return {values, row_splits};
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def("dense_to_ragged(Tensor dense, Tensor lengths, str side=\"right\") -> (Tensor values, Tensor row_splits)");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("dense_to_ragged", STRINGOPS_BOX(&stringops::dense_to_ragged));
}
