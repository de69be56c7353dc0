// The door of string_unique: checks, allocation. Serial: numbers in order of first appearance are a chain.
#include "kernels/string_unique.h"

#include <algorithm>
#include <tuple>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "string_unique";

std::tuple<Tensor, Tensor, Tensor, Tensor> string_unique(const Tensor& data, const Tensor& offsets) {
  const Strings in = check_strings(kOp, data, offsets);
  Tensor inverse = new_tensor(in.shape(), ScalarType::Long);
  const kernels::UniqueStrings unique = kernels::measure_unique(in.span, mutable_ptr<int64_t>(inverse));
  check_result_bytes(kOp, unique.num_bytes);

  const auto num_unique = static_cast<int64_t>(unique.ranges.size());
  Tensor unique_data = new_tensor({unique.num_bytes}, ScalarType::Byte);
  Tensor unique_offsets = new_tensor({num_unique + 1}, ScalarType::Int);
  Tensor counts = new_tensor({num_unique}, ScalarType::Long);
  kernels::write_unique(in.span, unique, mutable_ptr<uint8_t>(unique_data), mutable_ptr<int32_t>(unique_offsets));
  std::copy(unique.counts.begin(), unique.counts.end(), mutable_ptr<int64_t>(counts));
  return {unique_data, unique_offsets, inverse, counts};
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def(
      "string_unique(Tensor data, Tensor offsets)"
      " -> (Tensor data, Tensor offsets, Tensor inverse, Tensor counts)");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("string_unique", STRINGOPS_BOX(&stringops::string_unique));
}
