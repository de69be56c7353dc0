#include "kernels/normalize_compose.h"
#include "kernels/normalize_decompose.h"
#include "ops/kinds.h"

namespace stringops {
namespace {

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

STRINGOPS_OPERATOR(string_normalize, "(Tensor data, Tensor offsets, str form) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_strip_accents, "(Tensor data, Tensor offsets) -> (Tensor data, Tensor offsets)")
