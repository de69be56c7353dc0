#include "kernels/compare.h"

#include "kernels/compare_edit_distance.h"
#include "kernels/compare_isin.h"
#include "ops/register.h"

STRINGOPS_ZIP(string_equal, Equal, ScalarType::Bool)
STRINGOPS_ZIP(string_less, Less, ScalarType::Bool)
STRINGOPS_ZIP(string_less_equal, LessEqual, ScalarType::Bool)
STRINGOPS_ZIP(string_greater, Greater, ScalarType::Bool)
STRINGOPS_ZIP(string_greater_equal, GreaterEqual, ScalarType::Bool)

namespace stringops {
namespace {

Tensor string_isin(const Tensor& data, const Tensor& offsets, const Tensor& test_data, const Tensor& test_offsets) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  const Strings test = check_strings(kOp, test_data, test_offsets, "test_data", "test_offsets");
  Tensor result = new_tensor(in.shape(), ScalarType::Bool);
  const kernels::StringSet set(kOp, test.span);
  const TorchRunner runner;
  runner.run_ranges(in.span.size(), runner.time_of(in.span, {6, 0.1}), [&](int64_t first, int64_t last) {
    set.contains(in.span, first, last, mutable_ptr<bool>(result));
  });
  return result;
}

Tensor string_edit_distance(const Tensor& data, const Tensor& offsets, const Tensor& other_data,
                            const Tensor& other_offsets, const std::string& unit, std::optional<int64_t> max_distance) {
  constexpr const char* kOp = __func__;
  if (unit != "codepoint" && unit != "byte") fail_choice(kOp, "unit", "'byte' or 'codepoint'", unit);
  STRINGOPS_CHECK(!max_distance || *max_distance >= 0, kOp, ": expected `max_distance` >= 0 or None, got ",
                  max_distance.value_or(0));
  const Strings left = check_strings(kOp, data, offsets);
  const Strings right = check_strings(kOp, other_data, other_offsets, "other_data", "other_offsets");
  const kernels::EditDistance kernel{unit == "codepoint", max_distance.value_or(INT64_MAX)};
  Tensor result;
  kernels::edit_distances(kOp, TorchRunner(), kernel, left.span, left.shape(), right.span, right.shape(),
                          [&](const Sizes& shape) {
                            result = new_tensor(shape, ScalarType::Long);
                            return mutable_ptr<int64_t>(result);
                          });
  return result;
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_isin, "(Tensor data, Tensor offsets, Tensor test_data, Tensor test_offsets) -> Tensor")
STRINGOPS_OPERATOR(string_edit_distance,
                   "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets, str unit='codepoint', *,"
                   " int? max_distance=None) -> Tensor")
