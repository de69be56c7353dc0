// Ragged rows of numbers: the positions of segments, which torch or the gather of strings reads, and counts of ids.
#include "kernels/ragged_rows.h"

#include <vector>

#include "ops/register.h"
#include "ops/row_splits.h"

namespace stringops {
namespace {

Tensor _ragged_segments(const Tensor& starts_arg, const Tensor& lengths_arg) {
  constexpr const char* kOp = __func__;
  for (const auto& [name, t] : {std::pair{"starts", &starts_arg}, std::pair{"lengths", &lengths_arg}}) {
    check_cpu(kOp, name, *t);
    check_dtype(kOp, name, *t, ScalarType::Long);
    check_rank(kOp, name, *t, 1);
  }
  STRINGOPS_CHECK(starts_arg.size(0) == lengths_arg.size(0), kOp, ": expected `lengths` of shape ",
                  shape_text(starts_arg), ", got shape ", shape_text(lengths_arg));
  check_count(kOp, "starts", starts_arg);
  const Tensor starts = as_contiguous(starts_arg), lengths = as_contiguous(lengths_arg);
  const kernels::Segments segments{const_ptr<int64_t>(starts), const_ptr<int64_t>(lengths), starts.numel()};
  int64_t sum = 0;
  const int64_t bad = kernels::find_bad_length(segments, &sum);
  STRINGOPS_CHECK(bad < 0 && sum <= kMaxOffsets, kOp, ": expected `lengths` >= 0 of at most ", kMaxOffsets,
                  " in all, got ", bad < 0 ? sum : segments.lengths[bad]);

  constexpr kernels::Cost kCost{4, 0.5};  // the cost of a segment, and of a position
  const TorchRunner runner;
  const double ns =
      kCost.ns_per_string * static_cast<double>(segments.count) + kCost.ns_per_byte * static_cast<double>(sum);
  const int64_t tasks = std::max<int64_t>(1, std::min(segments.count, runner.choose_tasks(ns)));
  std::vector<int64_t> firsts(static_cast<size_t>(tasks) + 1), at(firsts.size());
  for (size_t t = 0; t < firsts.size(); ++t) firsts[t] = segments.count * static_cast<int64_t>(t) / tasks;
  for (size_t t = 1; t < firsts.size(); ++t) {
    at[t] = at[t - 1];
    for (int64_t i = firsts[t - 1]; i < firsts[t] && tasks > 1; ++i) at[t] += segments.lengths[i];
    at[t] = std::clamp<int64_t>(at[t], at[t - 1], sum);
  }
  at.back() = sum;
  Tensor positions = new_tensor({sum}, ScalarType::Long);
  int64_t* const out = mutable_ptr<int64_t>(positions);
  kernels::write_tasks(kOp, runner, tasks, [&](int64_t task) {
    const auto t = static_cast<size_t>(task);
    return kernels::write_segments(segments, firsts[t], firsts[t + 1], out, at[t], at[t + 1]);
  });
  return positions;
}

Tensor ragged_count(const Tensor& ids_arg, const Tensor& row_splits_arg, int64_t num_ids, bool binary) {
  constexpr const char* kOp = __func__;
  check_cpu(kOp, "ids", ids_arg);
  const ScalarType dtype = ids_arg.scalar_type();
  STRINGOPS_CHECK((dtype == ScalarType::Long || dtype == ScalarType::Int) && ids_arg.dim() == 1, kOp,
                  ": expected `ids` to be int64 or int32 of shape [T], got ", dtype_text(dtype), " of shape ",
                  shape_text(ids_arg));
  check_row_splits_shape(kOp, row_splits_arg);
  STRINGOPS_CHECK(num_ids >= 0, kOp, ": expected `num_ids` >= 0, got ", num_ids);
  const Tensor row_splits = as_contiguous(row_splits_arg);
  const RowSplits splits{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, ids_arg.size(0)};
  check_row_splits(kOp, splits, "`ids`");
  int64_t num_counts = 0;
  STRINGOPS_CHECK(!__builtin_mul_overflow(splits.rows, num_ids, &num_counts) && num_counts <= kMaxOffsets, kOp,
                  ": the result has ", splits.rows, " rows of ", num_ids, " counts; expected at most ", kMaxOffsets,
                  " counts (pass fewer rows, or use ragged_unique)");
  const Tensor ids = as_contiguous(ids_arg);
  Tensor counts = new_tensor({splits.rows, num_ids}, ScalarType::Long);
  const kernels::IdCounts counter{splits, num_ids, binary};
  const double ns = 0.5 * static_cast<double>(num_counts) + 2.0 * static_cast<double>(splits.num_values);
  int64_t* const out = mutable_ptr<int64_t>(counts);
  TorchRunner().run_ranges(splits.rows, ns, [&](int64_t first, int64_t last) {
    dtype == ScalarType::Long ? counter.write(const_ptr<int64_t>(ids), first, last, out)
                              : counter.write(const_ptr<int32_t>(ids), first, last, out);
  });
  return counts;
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(_ragged_segments, "(Tensor starts, Tensor lengths) -> Tensor positions", "int64")
STRINGOPS_OPERATOR(ragged_count,
                   "(Tensor ids, Tensor row_splits, SymInt num_ids, *, bool binary=False) -> Tensor counts", "int64")
