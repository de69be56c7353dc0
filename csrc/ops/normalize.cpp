#include "kernels/normalize.h"

#include "ops/kinds.h"

namespace stringops {
namespace {

std::tuple<Tensor, Tensor> string_normalize(const Tensor& data, const Tensor& offsets, const std::string& form) {
  using Form = NormalForm::Form;
  constexpr const char* kOp = __func__;
  const auto normalize = [&](Form to) { return map_tensor(kOp, kernels::Normalize(to), data, offsets); };
  if (form == "NFC") return normalize(Form::kNfc);
  if (form == "NFKC") return normalize(Form::kNfkc);
  if (form == "NFD") return normalize(Form::kNfd);
  if (form == "NFKD") return normalize(Form::kNfkd);
  fail_choice(kOp, "form", "'NFC', 'NFD', 'NFKC' or 'NFKD'", form);
}

std::tuple<Tensor, Tensor> string_strip_accents(const Tensor& data, const Tensor& offsets) {
  return map_tensor(__func__, kernels::Normalize(NormalForm::Form::kUnaccented), data, offsets);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_normalize, "(Tensor data, Tensor offsets, str form) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_strip_accents, "(Tensor data, Tensor offsets) -> (Tensor data, Tensor offsets)")
