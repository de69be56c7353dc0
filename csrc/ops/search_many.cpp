#include "kernels/search_many.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "driver/check_utf8.h"
#include "kernels/regex.h"
#include "kernels/regex_any.h"
#include "ops/cut.h"
#include "ops/kinds.h"

namespace stringops {
namespace {

using Patterns = std::shared_ptr<const kernels::PatternSet>;

Strings check_pattern_strings(const char* op, const Tensor& data, const Tensor& offsets) {
  return check_strings(op, data, offsets, "pattern_data", "pattern_offsets");
}

// Returns the patterns, none of which is empty.
Patterns check_patterns(const char* op, const Strings& strings) {
  Patterns patterns = kernels::PatternSet::of(op, strings.span);
  if (const auto i = patterns->first_empty()) {
    fail(op, ": expected patterns that are not empty, got an empty one at index ", *i);
  }
  return patterns;
}

Tensor string_contains_any(const Tensor& data, const Tensor& offsets, const Tensor& pattern_data,
                           const Tensor& pattern_offsets) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  const Strings strings = check_pattern_strings(kOp, pattern_data, pattern_offsets);
  check_rank(kOp, "pattern_offsets", pattern_offsets, 1);
  const Patterns patterns = kernels::PatternSet::of(kOp, strings.span);
  Tensor result = new_tensor(in.shape(), ScalarType::Bool);
  kernels::reduce_strings(TorchRunner(), kernels::ContainsAny{*patterns}, in.span, mutable_ptr<bool>(result));
  return result;
}

std::tuple<Tensor, Tensor, Tensor> string_extract_many(const Tensor& data, const Tensor& offsets,
                                                       const Tensor& pattern_data, const Tensor& pattern_offsets,
                                                       bool overlapping) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  const Strings strings = check_pattern_strings(kOp, pattern_data, pattern_offsets);
  check_rank(kOp, "pattern_offsets", pattern_offsets, 1);
  const Patterns patterns = check_patterns(kOp, strings);
  RaggedTensors result(in);
  kernels::cut_ragged(kOp, TorchRunner(), in.span, kernels::OccurrenceCutter(*patterns, overlapping), result);
  return result.take();
}

std::tuple<Tensor, Tensor> string_replace_many(const Tensor& data, const Tensor& offsets, const Tensor& pattern_data,
                                               const Tensor& pattern_offsets, const Tensor& replacement_data,
                                               const Tensor& replacement_offsets) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  const Strings strings = check_pattern_strings(kOp, pattern_data, pattern_offsets);
  check_rank(kOp, "pattern_offsets", pattern_offsets, 1);
  const Strings by =
      check_strings(kOp, replacement_data, replacement_offsets, "replacement_data", "replacement_offsets");
  check_rank(kOp, "replacement_offsets", replacement_offsets, 1);
  const int64_t count = strings.span.size(), replacements = by.span.size();
  STRINGOPS_CHECK(replacements == 1 || replacements == count, kOp, ": expected one replacement, or ", count,
                  " as patterns, got ", replacements);
  if (const auto map = kernels::MapCodePoints::of(kOp, strings.span, by.span))
    return map_tensor(kOp, *map, data, offsets);
  const Patterns patterns = check_patterns(kOp, strings);
  return map_tensor(kOp, kernels::ReplaceMany{*patterns, by.span}, data, offsets);
}

Tensor regex_contains_any(const Tensor& data, const Tensor& offsets, const Tensor& pattern_data,
                          const Tensor& pattern_offsets) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  const Strings patterns = check_pattern_strings(kOp, pattern_data, pattern_offsets);
  check_rank(kOp, "pattern_offsets", pattern_offsets, 1);
  const std::shared_ptr<const Pattern> any = kernels::compile_any(kOp, patterns.span);
  kernels::check_utf8(kOp, TorchRunner(), in.span);
  Tensor result = new_tensor(in.shape(), ScalarType::Bool);
  if (any) {
    kernels::regex_contains(TorchRunner(), *any, in.span, mutable_ptr<bool>(result));
  } else {
    std::fill_n(mutable_ptr<bool>(result), in.span.size(), false);
  }
  return result;
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_contains_any,
                   "(Tensor data, Tensor offsets, Tensor pattern_data, Tensor pattern_offsets) -> Tensor", "bool")
STRINGOPS_OPERATOR(string_extract_many,
                   "(Tensor data, Tensor offsets, Tensor pattern_data, Tensor pattern_offsets, bool overlapping=False)"
                   " -> (Tensor data, Tensor offsets, Tensor row_splits)")
STRINGOPS_OPERATOR(string_replace_many,
                   "(Tensor data, Tensor offsets, Tensor pattern_data, Tensor pattern_offsets, Tensor replacement_data,"
                   " Tensor replacement_offsets) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(regex_contains_any,
                   "(Tensor data, Tensor offsets, Tensor pattern_data, Tensor pattern_offsets) -> Tensor", "bool")
