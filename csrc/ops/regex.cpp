#include "kernels/regex.h"
#include "kernels/regex_groups.h"
#include "kernels/regex_replace.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>

#include "driver/check_utf8.h"
#include "kernels/span_units.h"
#include "ops/cut.h"
#include "ops/kinds.h"

namespace stringops {
namespace {

using Compiled = std::shared_ptr<const Pattern>;

Compiled compile(const char* op, const std::string& pattern) {
  try {
    return Pattern::compile(pattern, MatchRule::kFirst);
  } catch (const PatternError& error) {
    fail(op, ": cannot compile `pattern`: ", error.what());
  }
}

void check_group(const char* op, const Pattern& pattern, int64_t group) {
  STRINGOPS_CHECK(group >= 0, op, ": expected `group` >= 0, got ", group);
  STRINGOPS_CHECK(group <= pattern.num_groups(), op, ": expected `group` from 0 to ", pattern.num_groups(),
                  ", the last group of `pattern`, got ", group);
}

// Checks the group to extract. -1 stands for 1, or for 0 if the pattern has no group.
int64_t check_extracted_group(const char* op, const Pattern& pattern, int64_t group) {
  if (group == -1) return pattern.num_groups() > 0 ? 1 : 0;
  check_group(op, pattern, group);
  return group;
}

Strings check_text(const char* op, const Tensor& data, const Tensor& offsets) {
  Strings in = check_strings(op, data, offsets);
  kernels::check_utf8(op, TorchRunner(), in.span);
  return in;
}

Tensor regex_full_match(const Tensor& data, const Tensor& offsets, const std::string& pattern) {
  const Compiled compiled = compile(__func__, pattern);
  const Strings in = check_text(__func__, data, offsets);
  Tensor result = new_tensor(in.shape(), ScalarType::Bool);
  kernels::reduce_strings(TorchRunner(), kernels::RegexTest{*compiled, true}, in.span, mutable_ptr<bool>(result));
  return result;
}

Tensor regex_contains(const Tensor& data, const Tensor& offsets, const std::string& pattern) {
  const Compiled compiled = compile(__func__, pattern);
  const Strings in = check_text(__func__, data, offsets);
  Tensor result = new_tensor(in.shape(), ScalarType::Bool);
  kernels::regex_contains(TorchRunner(), *compiled, in.span, mutable_ptr<bool>(result));
  return result;
}

Tensor regex_count(const Tensor& data, const Tensor& offsets, const std::string& pattern) {
  const Compiled compiled = compile(__func__, pattern);
  const Strings in = check_strings(__func__, data, offsets);
  Tensor result = new_tensor(in.shape(), ScalarType::Long);
  kernels::regex_count(__func__, TorchRunner(), *compiled, in.span, mutable_ptr<int64_t>(result));
  return result;
}

// A count of 0 also means no limit, for programs that earlier versions exported.
std::tuple<Tensor, Tensor> regex_replace(const Tensor& data, const Tensor& offsets, const std::string& pattern,
                                         const std::string& rewrite, int64_t count) {
  constexpr const char* kOp = __func__;
  const Compiled compiled = compile(kOp, pattern);
  const auto* bytes = reinterpret_cast<const uint8_t*>(rewrite.data());
  STRINGOPS_CHECK(!find_invalid_utf8(bytes, bytes + rewrite.size()), kOp, ": expected `rewrite` to be UTF-8");
  std::optional<kernels::Rewrite> parsed;
  try {
    parsed.emplace(rewrite, compiled->num_groups());
  } catch (const std::invalid_argument& error) {
    fail(kOp, ": expected `rewrite` ", error.what());
  }
  const Strings in = check_text(kOp, data, offsets);
  return map_tensor(kOp, kernels::RegexReplace{*compiled, *parsed, std::max<int64_t>(count, 0)}, in);
}

std::tuple<Tensor, Tensor> regex_extract(const Tensor& data, const Tensor& offsets, const std::string& pattern,
                                         int64_t group) {
  constexpr const char* kOp = __func__;
  const Compiled compiled = compile(kOp, pattern);
  group = check_extracted_group(kOp, *compiled, group);
  const Strings in = check_text(kOp, data, offsets);
  return map_tensor(kOp, kernels::RegexExtract{*compiled, group}, in);
}

std::tuple<Tensor, Tensor> _regex_extract_groups(const Tensor& data, const Tensor& offsets, const std::string& pattern,
                                                 const std::vector<int64_t>& groups) {
  constexpr const char* kOp = "regex_extract_groups";
  const Compiled compiled = compile(kOp, pattern);
  for (const int64_t group : groups) check_group(kOp, *compiled, group);
  const Strings in = check_text(kOp, data, offsets);
  Sizes sizes = in.shape();
  sizes.insert(sizes.begin(), static_cast<int64_t>(groups.size()));
  ++sizes.back();
  STRINGOPS_CHECK(count_elements(sizes) <= kMaxOffsets, kOp, ": the result needs more than ", kMaxOffsets,
                  " offsets (split the batch)");
  NewStrings result(std::move(sizes));
  kernels::extract_groups(kOp, TorchRunner(), *compiled, groups, in.span, std::ref(result));
  return result.take();
}

Tensor regex_find(const Tensor& data, const Tensor& offsets, const std::string& pattern, int64_t group,
                  const std::string& unit) {
  constexpr const char* kOp = __func__;
  const Compiled compiled = compile(kOp, pattern);
  group = check_extracted_group(kOp, *compiled, group);
  const bool in_codepoints = check_unit(kOp, unit);
  const Strings in = check_text(kOp, data, offsets);
  Sizes shape = in.shape();
  shape.push_back(2);
  Tensor result = new_tensor(shape, ScalarType::Long);
  kernels::reduce_strings(TorchRunner(), kernels::RegexSpan{*compiled, group}, in.span,
                          mutable_ptr<kernels::Span>(result));
  if (in_codepoints) {
    kernels::reduce_strings(TorchRunner(), kernels::SpanUnit(), in.span, mutable_ptr<kernels::Span>(result));
  }
  return result;
}

std::tuple<Tensor, Tensor, Tensor> cut(const char* op, const Strings& in, const kernels::RegexCutter& cutter) {
  RaggedTensors result(in);
  kernels::cut_ragged(op, TorchRunner(), in.span, cutter, result);
  return result.take();
}

std::tuple<Tensor, Tensor> cut_spans(const char* op, const Strings& in, const kernels::RegexCutter& cutter,
                                     bool in_codepoints) {
  Tensor row_splits = new_tensor({in.span.size() + 1}, ScalarType::Long);
  Tensor spans;
  kernels::cut_spans(op, TorchRunner(), in.span, cutter, [&](int64_t num_pieces) -> kernels::SpansOutput {
    spans = new_tensor({num_pieces, 2}, ScalarType::Long);
    return {mutable_ptr<kernels::Span>(spans), mutable_ptr<int64_t>(row_splits)};
  });
  if (in_codepoints) {
    const kernels::RaggedSpanUnit unit{mutable_ptr<kernels::Span>(spans)};
    kernels::reduce_strings(TorchRunner(), unit, in.span, const_ptr<int64_t>(row_splits));
  }
  return {std::move(spans), std::move(row_splits)};
}

std::tuple<Tensor, Tensor, Tensor> regex_split_ragged(const Tensor& data, const Tensor& offsets,
                                                      const std::string& pattern) {
  constexpr const char* kOp = __func__;
  const Compiled compiled = compile(kOp, pattern);
  return cut(kOp, check_strings(kOp, data, offsets), kernels::RegexCutter::between(*compiled));
}

std::tuple<Tensor, Tensor> regex_split_spans_ragged(const Tensor& data, const Tensor& offsets,
                                                    const std::string& pattern, const std::string& unit) {
  constexpr const char* kOp = __func__;
  const Compiled compiled = compile(kOp, pattern);
  const bool in_codepoints = check_unit(kOp, unit);
  return cut_spans(kOp, check_strings(kOp, data, offsets), kernels::RegexCutter::between(*compiled, true),
                   in_codepoints);
}

std::tuple<Tensor, Tensor, Tensor> regex_find_all_ragged(const Tensor& data, const Tensor& offsets,
                                                         const std::string& pattern, int64_t group) {
  constexpr const char* kOp = __func__;
  const Compiled compiled = compile(kOp, pattern);
  check_group(kOp, *compiled, group);
  return cut(kOp, check_strings(kOp, data, offsets), kernels::RegexCutter::matches(*compiled, group));
}

std::tuple<Tensor, Tensor> regex_find_all_spans_ragged(const Tensor& data, const Tensor& offsets,
                                                       const std::string& pattern, int64_t group,
                                                       const std::string& unit) {
  constexpr const char* kOp = __func__;
  const Compiled compiled = compile(kOp, pattern);
  check_group(kOp, *compiled, group);
  const bool in_codepoints = check_unit(kOp, unit);
  return cut_spans(kOp, check_strings(kOp, data, offsets), kernels::RegexCutter::matches(*compiled, group, true),
                   in_codepoints);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(regex_full_match, "(Tensor data, Tensor offsets, str pattern) -> Tensor", "bool")
STRINGOPS_OPERATOR(regex_contains, "(Tensor data, Tensor offsets, str pattern) -> Tensor", "bool")
STRINGOPS_OPERATOR(regex_count, "(Tensor data, Tensor offsets, str pattern) -> Tensor", "int64")
STRINGOPS_OPERATOR(regex_replace,
                   "(Tensor data, Tensor offsets, str pattern, str rewrite, SymInt count=-1)"
                   " -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(regex_extract,
                   "(Tensor data, Tensor offsets, str pattern, SymInt group=-1) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(_regex_extract_groups,
                   "(Tensor data, Tensor offsets, str pattern, int[] groups) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(regex_find,
                   "(Tensor data, Tensor offsets, str pattern, SymInt group=0, str unit='codepoint') -> Tensor",
                   "int64")
STRINGOPS_OPERATOR(regex_split_ragged,
                   "(Tensor data, Tensor offsets, str pattern) -> (Tensor data, Tensor offsets, Tensor row_splits)")
STRINGOPS_OPERATOR(regex_split_spans_ragged,
                   "(Tensor data, Tensor offsets, str pattern, str unit='byte') -> (Tensor spans, Tensor row_splits)",
                   "int64 int64")
STRINGOPS_OPERATOR(regex_find_all_ragged,
                   "(Tensor data, Tensor offsets, str pattern, SymInt group=0)"
                   " -> (Tensor data, Tensor offsets, Tensor row_splits)")
STRINGOPS_OPERATOR(regex_find_all_spans_ragged,
                   "(Tensor data, Tensor offsets, str pattern, SymInt group=0, str unit='byte')"
                   " -> (Tensor spans, Tensor row_splits)",
                   "int64 int64")

// Calls take(text, size, fault) with the names of the groups in a pattern, each followed by "\n", "" for a group
// without a name; or with what is wrong with the pattern, and `fault`.
STRINGOPS_TEST_HOOK void stringops_group_names(const char* op, const char* pattern, int64_t size,
                                               void (*take)(const char*, int64_t, bool)) {
  std::string text;
  bool fault = false;
  try {
    const auto compiled = stringops::compile(op, {pattern, static_cast<size_t>(size)});
    for (const std::string& name : compiled->syntax().group_names) text += name + '\n';
  } catch (const std::exception& error) {
    text = error.what();
    fault = true;
  }
  take(text.data(), static_cast<int64_t>(text.size()), fault);
}
