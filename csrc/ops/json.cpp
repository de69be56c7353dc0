#include "kernels/json.h"

#include <atomic>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ops/kinds.h"

namespace stringops {
namespace {

// Returns int32 spans [P, *S, 2] in bytes of each document, and uint8 kinds [P, *S]. Errors begin with `op_name`.
std::tuple<Tensor, Tensor> _json_spans(const Tensor& data, const Tensor& offsets, const std::vector<std::string>& paths,
                                       const std::string& errors, const std::string& op_name) {
  const char* const op = op_name.c_str();
  const bool skips = check_choice(op, "errors", errors, "raise", "missing");
  STRINGOPS_CHECK(!paths.empty(), op, ": expected at least one path, got none");
  const kernels::JsonPaths json_paths(op, paths);
  const Strings in = check_strings(op, data, offsets);
  Sizes shape = in.shape();
  shape.insert(shape.begin(), json_paths.size());
  Sizes spans_shape = shape;
  spans_shape.push_back(2);
  check_result_offsets(op, spans_shape);
  Tensor kinds = new_tensor(shape, ScalarType::Byte);
  Tensor spans = new_tensor(spans_shape, ScalarType::Int);
  std::atomic<bool> failed{false};
  kernels::reduce_strings(TorchRunner(), kernels::JsonSpans{json_paths, mutable_ptr<int32_t>(spans), failed}, in.span,
                          mutable_ptr<uint8_t>(kinds));
  if (failed && !skips) {
    const kernels::JsonPaths none("", {});
    kernels::JsonScanner scanner(none);
    std::optional<kernels::JsonFault> fault;
    const std::string at =
        find_wrong(op, in, [&](StringView text) { return (fault = scanner.scan(text, nullptr)).has_value(); });
    fail(op, ": expected JSON", fault->is_too_deep ? " of at most 1024 brackets within each other" : "",
         ", got other text at index ", at, ", byte ", fault->at, " (errors='missing' skips it)");
  }
  return {std::move(spans), std::move(kinds)};
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(_json_spans,
                   "(Tensor data, Tensor offsets, str[] paths, str errors='raise', str op='json_extract')"
                   " -> (Tensor spans, Tensor kinds)",
                   "int32 uint8")
STRINGOPS_MAP(_json_unquote, JsonUnquote)
