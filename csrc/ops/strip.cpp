#include "kernels/strip.h"

#include <optional>
#include <tuple>

#include "core/lazy.h"
#include "ops/kinds.h"

namespace stringops {
namespace {

std::tuple<Tensor, Tensor> strip(const char* op, const Tensor& data, const Tensor& offsets,
                                 const std::optional<std::string>& chars, bool left, bool right) {
  if (!chars) {
    const auto& whitespace = lazy([] { return WhitespaceSet(); });
    return map_tensor(op, kernels::Strip<WhitespaceSet>{left, right, whitespace}, data, offsets);
  }
  const kernels::CharacterSet set(*chars);
  return map_tensor(op, kernels::Strip<kernels::CharacterSet>{left, right, set}, data, offsets);
}

std::tuple<Tensor, Tensor> string_strip(const Tensor& data, const Tensor& offsets,
                                        const std::optional<std::string>& chars) {
  return strip(__func__, data, offsets, chars, true, true);
}

std::tuple<Tensor, Tensor> string_lstrip(const Tensor& data, const Tensor& offsets,
                                         const std::optional<std::string>& chars) {
  return strip(__func__, data, offsets, chars, true, false);
}

std::tuple<Tensor, Tensor> string_rstrip(const Tensor& data, const Tensor& offsets,
                                         const std::optional<std::string>& chars) {
  return strip(__func__, data, offsets, chars, false, true);
}

std::tuple<Tensor, Tensor> string_remove_prefix(const Tensor& data, const Tensor& offsets, const std::string& prefix) {
  return map_tensor(__func__, kernels::RemoveAffix{prefix, false}, data, offsets);
}

std::tuple<Tensor, Tensor> string_remove_suffix(const Tensor& data, const Tensor& offsets, const std::string& suffix) {
  return map_tensor(__func__, kernels::RemoveAffix{suffix, true}, data, offsets);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_strip, "(Tensor data, Tensor offsets, str? chars=None) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_lstrip, "(Tensor data, Tensor offsets, str? chars=None) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_rstrip, "(Tensor data, Tensor offsets, str? chars=None) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_remove_prefix, "(Tensor data, Tensor offsets, str prefix) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_remove_suffix, "(Tensor data, Tensor offsets, str suffix) -> (Tensor data, Tensor offsets)")
