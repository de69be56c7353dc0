#include "kernels/compare.h"

#include <string>

#include "core/format_number.h"
#include "kernels/compare_edit_distance.h"
#include "kernels/compare_isin.h"
#include "ops/kinds.h"

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

int64_t check_limit(const char* op, std::optional<int64_t> max_distance) {
  STRINGOPS_CHECK(!max_distance || *max_distance >= 0, op, ": expected `max_distance` >= 0 or None, got ",
                  max_distance.value_or(0));
  return max_distance.value_or(INT64_MAX);
}

template <class Kernel, class... Tensors>
Tensor compare_pairs(const char* op, const Kernel& kernel, ScalarType dtype, const Tensors&... tensors) {
  const auto compare = [](const auto&... arguments) { kernels::compare_pairs(arguments...); };
  return zip_tensors_by(compare, op, kernel, dtype, tensors...);
}

Tensor string_edit_distance(const Tensor& data, const Tensor& offsets, const Tensor& other_data,
                            const Tensor& other_offsets, const std::string& unit, std::optional<int64_t> max_distance) {
  constexpr const char* kOp = __func__;
  const bool codepoints = check_unit(kOp, unit);
  const kernels::EditDistance kernel{codepoints, check_limit(kOp, max_distance)};
  return compare_pairs(kOp, kernel, ScalarType::Long, data, offsets, other_data, other_offsets);
}

Tensor string_damerau(const Tensor& data, const Tensor& offsets, const Tensor& other_data, const Tensor& other_offsets,
                      const std::string& unit, std::optional<int64_t> max_distance) {
  constexpr const char* kOp = __func__;
  const bool codepoints = check_unit(kOp, unit);
  const kernels::Damerau kernel{codepoints, check_limit(kOp, max_distance)};
  return compare_pairs(kOp, kernel, ScalarType::Long, data, offsets, other_data, other_offsets);
}

Tensor string_ratio(const Tensor& data, const Tensor& offsets, const Tensor& other_data, const Tensor& other_offsets,
                    const std::string& unit) {
  constexpr const char* kOp = __func__;
  const kernels::Ratio kernel{check_unit(kOp, unit)};
  return compare_pairs(kOp, kernel, ScalarType::Float, data, offsets, other_data, other_offsets);
}

Tensor string_jaro_winkler(const Tensor& data, const Tensor& offsets, const Tensor& other_data,
                           const Tensor& other_offsets, const std::string& unit, double prefix_weight) {
  constexpr const char* kOp = __func__;
  const bool codepoints = check_unit(kOp, unit);
  char text[kMaxNumberText];
  STRINGOPS_CHECK(prefix_weight >= 0 && prefix_weight <= 0.25, kOp, ": expected `prefix_weight` within [0, 0.25], got ",
                  std::string(text, format_number(prefix_weight, text)));
  const kernels::JaroWinkler kernel{codepoints, prefix_weight};
  return compare_pairs(kOp, kernel, ScalarType::Float, data, offsets, other_data, other_offsets);
}

Tensor string_jaccard(const Tensor& data, const Tensor& offsets, const Tensor& other_data, const Tensor& other_offsets,
                      int64_t ngram, const std::string& unit) {
  constexpr const char* kOp = __func__;
  STRINGOPS_CHECK(ngram >= 1, kOp, ": expected `ngram` >= 1, got ", ngram);
  const kernels::NgramJaccard kernel{{ngram, check_unit(kOp, unit)}};
  return zip_tensors(kOp, kernel, ScalarType::Float, data, offsets, other_data, other_offsets);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_isin, "(Tensor data, Tensor offsets, Tensor test_data, Tensor test_offsets) -> Tensor",
                   "bool")
STRINGOPS_OPERATOR(string_edit_distance,
                   "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets, str unit='codepoint', *,"
                   " SymInt? max_distance=None) -> Tensor",
                   "int64")
STRINGOPS_OPERATOR(string_damerau,
                   "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets, str unit='codepoint', *,"
                   " SymInt? max_distance=None) -> Tensor",
                   "int64")
STRINGOPS_OPERATOR(string_ratio,
                   "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets, str unit='codepoint') ->"
                   " Tensor",
                   "float32")
STRINGOPS_OPERATOR(string_jaro_winkler,
                   "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets, str unit='codepoint', *,"
                   " float prefix_weight=0.1) -> Tensor",
                   "float32")
STRINGOPS_OPERATOR(string_jaccard,
                   "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets, SymInt ngram,"
                   " str unit='codepoint') -> Tensor",
                   "float32")
