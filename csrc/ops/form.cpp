#include "kernels/form.h"

#include <optional>
#include <tuple>

#include "core/lazy.h"
#include "kernels/form_compose.h"
#include "kernels/form_decompose.h"
#include "ops/register.h"

namespace stringops {
namespace {

std::tuple<Tensor, Tensor> strip(const char* op, const Tensor& data, const Tensor& offsets,
                                 const std::optional<std::string>& chars, bool left, bool right) {
  if (!chars) {
    const auto& whitespace = lazy([] { return kernels::WhitespaceSet(); });
    return map_tensor(op, kernels::Strip<kernels::WhitespaceSet>{left, right, whitespace}, data, offsets);
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
  return map_tensor(__func__, kernels::RemovePrefix{prefix}, data, offsets);
}

std::tuple<Tensor, Tensor> string_remove_suffix(const Tensor& data, const Tensor& offsets, const std::string& suffix) {
  return map_tensor(__func__, kernels::RemoveSuffix{suffix}, data, offsets);
}

std::tuple<Tensor, Tensor> string_normalize(const Tensor& data, const Tensor& offsets, const std::string& form) {
  using kernels::Compose, kernels::Decompose;
  constexpr const char* kOp = __func__;
  if (form == "NFC") return map_tensor(kOp, Compose(Compose::Form::kNfc), data, offsets);
  if (form == "NFKC") return map_tensor(kOp, Compose(Compose::Form::kNfkc), data, offsets);
  if (form == "NFD") return map_tensor(kOp, Decompose(Decompose::Form::kNfd), data, offsets);
  if (form == "NFKD") return map_tensor(kOp, Decompose(Decompose::Form::kNfkd), data, offsets);
  fail_choice(kOp, "form", "'NFC', 'NFD', 'NFKC' or 'NFKD'", form);
}

std::tuple<Tensor, Tensor> string_strip_accents(const Tensor& data, const Tensor& offsets) {
  return map_tensor(__func__, kernels::Decompose(kernels::Decompose::Form::kUnaccented), data, offsets);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_strip, "(Tensor data, Tensor offsets, str? chars=None) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_lstrip, "(Tensor data, Tensor offsets, str? chars=None) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_rstrip, "(Tensor data, Tensor offsets, str? chars=None) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_remove_prefix, "(Tensor data, Tensor offsets, str prefix) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_remove_suffix, "(Tensor data, Tensor offsets, str suffix) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_normalize, "(Tensor data, Tensor offsets, str form) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_strip_accents, "(Tensor data, Tensor offsets) -> (Tensor data, Tensor offsets)")
