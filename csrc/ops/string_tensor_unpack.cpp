// The doors of string_tensor_unpack and of its half that copies no byte. Spec: OpenVINO StringTensorUnpack-15.
#include "kernels/string_tensor_unpack.h"

#include <atomic>
#include <tuple>
#include <vector>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

// The half speaks in the name of the whole, which is what people call.
constexpr const char* kOp = "string_tensor_unpack";

struct Unpacked {
  Tensor begins, ends, symbols;
};

Unpacked unpack(const Tensor& data, const Tensor& offsets, bool copy_symbols) {
  const Strings in = check_strings(kOp, data, offsets);
  const int64_t count = in.span.size();
  const int64_t tasks = choose_tasks(copy_symbols ? strings_cost(in.span, 8) : count * 8);
  const auto task_begin = [&](int64_t task) { return count * task / tasks; };
  std::vector<int64_t> bases(static_cast<size_t>(tasks) + 1, 0);
  parallel_tasks(tasks,
                 [&](int64_t t) { bases[t + 1] = kernels::measure_unpack(in.span, task_begin(t), task_begin(t + 1)); });
  for (int64_t t = 0; t < tasks; ++t) {
    bases[t + 1] += bases[t];
    check_result_bytes(kOp, bases[t + 1]);
  }

  Unpacked result{new_tensor(in.shape(), ScalarType::Int), new_tensor(in.shape(), ScalarType::Int),
                  new_tensor({copy_symbols ? bases[tasks] : 0}, ScalarType::Byte)};
  const kernels::UnpackOutput out{mutable_ptr<int32_t>(result.begins), mutable_ptr<int32_t>(result.ends),
                                  copy_symbols ? mutable_ptr<uint8_t>(result.symbols) : nullptr};
  std::atomic<bool> changed{false};
  parallel_tasks(tasks, [&](int64_t t) {
    if (!kernels::write_unpack(in.span, task_begin(t), task_begin(t + 1), out, bases[t], bases[t + 1])) changed = true;
  });
  check_unchanged(kOp, !changed);
  return result;
}

std::tuple<Tensor, Tensor, Tensor> string_tensor_unpack(const Tensor& data, const Tensor& offsets) {
  const Unpacked u = unpack(data, offsets, true);
  return {u.begins, u.ends, u.symbols};
}

std::tuple<Tensor, Tensor> string_tensor_unpack_ranges(const Tensor& data, const Tensor& offsets) {
  const Unpacked u = unpack(data, offsets, false);
  return {u.begins, u.ends};
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def("string_tensor_unpack(Tensor data, Tensor offsets) -> (Tensor begins, Tensor ends, Tensor symbols)");
  m.def("_string_tensor_unpack_ranges(Tensor data, Tensor offsets) -> (Tensor begins, Tensor ends)");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("string_tensor_unpack", STRINGOPS_BOX(&stringops::string_tensor_unpack));
  m.impl("_string_tensor_unpack_ranges", STRINGOPS_BOX(&stringops::string_tensor_unpack_ranges));
}
