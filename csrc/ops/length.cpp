#include "kernels/length.h"

#include "ops/kinds.h"

namespace stringops {
namespace {

Tensor string_length(const Tensor& data, const Tensor& offsets, const std::string& unit) {
  constexpr const char* kOp = __func__;
  return check_unit(kOp, unit) ? reduce_tensor(kOp, kernels::CodepointLength(), ScalarType::Long, data, offsets)
                               : reduce_tensor(kOp, kernels::ByteLength(), ScalarType::Long, data, offsets);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_length, "(Tensor data, Tensor offsets, str unit='codepoint') -> Tensor", "int64")
STRINGOPS_REDUCE(string_width, Width, ScalarType::Long)
