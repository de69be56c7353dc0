// The door of string_tensor_pack: checks, allocation, threads. Spec: OpenVINO StringTensorPack-15.
#include "kernels/string_tensor_pack.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "string_tensor_pack";

template <class Index>
std::tuple<Tensor, Tensor> pack(const Tensor& begins_arg, const Tensor& ends_arg, const Tensor& symbols) {
  const auto shape = begins_arg.sizes();
  Sizes offsets_shape(shape.begin(), shape.end());
  offsets_shape.back() += 1;
  check_result_offsets(kOp, count_elements(offsets_shape));

  const Tensor begins = as_contiguous(begins_arg), ends = as_contiguous(ends_arg);
  const kernels::PackInput<Index> in{const_ptr<Index>(begins), const_ptr<Index>(ends), const_ptr<uint8_t>(symbols),
                                     symbols.numel()};
  const int64_t count = begins.numel();
  // The ranges bound the cost only once measured; their number stands for it.
  const int64_t tasks = choose_tasks(count * 8);
  const auto task_begin = [&](int64_t task) { return count * task / tasks; };

  std::vector<kernels::PackMeasure> measures(static_cast<size_t>(tasks));
  parallel_tasks(tasks, [&](int64_t t) { measures[t] = kernels::measure_pack(in, task_begin(t), task_begin(t + 1)); });
  std::vector<int64_t> bases(static_cast<size_t>(tasks) + 1, 0);
  for (int64_t t = 0; t < tasks; ++t) {
    if (const auto i = measures[t].bad_index) {
      fail(kOp, ": expected 0 <= `begins` <= `ends` <= ", in.num_symbols, " (bytes of `symbols`), got begin ",
           in.begins[*i], " and end ", in.ends[*i], " at index ", *i, " (row-major)");
    }
    bases[t + 1] = bases[t] + measures[t].num_bytes;
    check_result_bytes(kOp, bases[t + 1]);
  }

  Tensor data = new_tensor({bases[tasks]}, ScalarType::Byte);
  Tensor offsets = new_tensor(offsets_shape, ScalarType::Int);
  const kernels::PackOutput out{mutable_ptr<uint8_t>(data), bases[tasks], mutable_ptr<int32_t>(offsets), shape.back()};
  if (out.cols == 0) std::fill_n(out.offsets, offsets.numel(), 0);
  std::atomic<bool> changed{false};
  parallel_tasks(tasks, [&](int64_t t) {
    if (!kernels::write_pack(in, task_begin(t), task_begin(t + 1), out, bases[t], bases[t + 1])) changed = true;
  });
  check_unchanged(kOp, !changed);
  return {data, offsets};
}

std::tuple<Tensor, Tensor> string_tensor_pack(const Tensor& begins, const Tensor& ends, const Tensor& symbols) {
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
  return index == ScalarType::Int ? pack<int32_t>(begins, ends, symbols) : pack<int64_t>(begins, ends, symbols);
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def("string_tensor_pack(Tensor begins, Tensor ends, Tensor symbols) -> (Tensor data, Tensor offsets)");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("string_tensor_pack", STRINGOPS_BOX(&stringops::string_tensor_pack));
}
