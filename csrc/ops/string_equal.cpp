// The door of string_equal: checks, broadcasting, threads.
#include "kernels/string_equal.h"

#include <algorithm>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "string_equal";

Sizes broadcast(const Sizes& a, const Sizes& b) {
  Sizes shape(std::max(a.size(), b.size()));
  for (size_t i = 1; i <= shape.size(); ++i) {
    const int64_t x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
    STRINGOPS_CHECK(x == y || x == 1 || y == 1, kOp, ": expected shapes that broadcast, got ", shape_text(a), " and ",
                    shape_text(b));
    shape[shape.size() - i] = x == 1 ? y : x;
  }
  return shape;
}

kernels::Operand operand(const Strings& strings, size_t rank) {
  const Sizes shape = strings.shape();
  kernels::Operand result{strings.span, std::vector<int64_t>(rank - 1, 0), shape.back() == 1 ? 0 : 1};
  int64_t stride = 1;
  for (size_t d = shape.size() - 1; d-- > 0;) {
    if (shape[d] != 1) result.row_strides[d + rank - shape.size()] = stride;
    stride *= shape[d];
  }
  return result;
}

Tensor string_equal(const Tensor& data, const Tensor& offsets, const Tensor& other_data, const Tensor& other_offsets) {
  const Strings left = check_strings(kOp, data, offsets);
  const Strings right = check_strings(kOp, other_data, other_offsets, "other_data", "other_offsets");
  const Sizes shape = broadcast(left.shape(), right.shape());
  const int64_t count = count_elements(shape);
  STRINGOPS_CHECK(count <= kMaxOffsets, kOp, ": expected shapes that broadcast to at most ", kMaxOffsets,
                  " strings, got ", shape_text(left.shape()), " and ", shape_text(right.shape()), " (split the batch)");
  Tensor result = new_tensor(shape, ScalarType::Bool);
  if (count == 0) return result;
  const kernels::EqualInput in{operand(left, shape.size()), operand(right, shape.size()),
                               Sizes(shape.begin(), shape.end() - 1), shape.back()};
  const int64_t cost = std::max({count * 8, strings_cost(left.span, 8), strings_cost(right.span, 8)});
  const int64_t tasks = std::min(count, choose_tasks(cost));
  bool* out = mutable_ptr<bool>(result);
  parallel_tasks(tasks, [&](int64_t t) { kernels::write_equal(in, count * t / tasks, count * (t + 1) / tasks, out); });
  return result;
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def("string_equal(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets) -> Tensor");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("string_equal", STRINGOPS_BOX(&stringops::string_equal));
}
