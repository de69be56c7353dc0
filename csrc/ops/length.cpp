#include "kernels/length.h"

#include "ops/register.h"

namespace stringops {
namespace {

Tensor string_length(const Tensor& data, const Tensor& offsets, const std::string& unit) {
  constexpr const char* kOp = __func__;
  if (unit == "byte") return reduce_tensor(kOp, kernels::ByteLength(), ScalarType::Long, data, offsets);
  if (unit == "codepoint") return reduce_tensor(kOp, kernels::CodepointLength(), ScalarType::Long, data, offsets);
  fail_choice(kOp, "unit", "'byte' or 'codepoint'", unit);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_length, "(Tensor data, Tensor offsets, str unit='codepoint') -> Tensor")
STRINGOPS_REDUCE(string_width, Width, ScalarType::Long)
