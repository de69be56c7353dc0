#include "kernels/length.h"

#include "ops/kinds.h"

namespace stringops {
namespace {

// The bytes are not read, so that those of rows that are not adjacent are not copied.
Tensor byte_lengths(const char* op, const Tensor& data, const Tensor& offsets) {
  const UncheckedStrings in = check_strings_metadata(op, data, offsets);
  Tensor result = new_tensor(in.shape(), ScalarType::Long);
  auto* const out = mutable_ptr<int64_t>(result);
  if (!kernels::write_byte_lengths(in.rows, out)) {
    check_offsets(op, in.rows);
    fail_changed(op);
  }
  return result;
}

Tensor string_length(const Tensor& data, const Tensor& offsets, const std::string& unit) {
  constexpr const char* kOp = __func__;
  return check_unit(kOp, unit) ? reduce_tensor(kOp, kernels::CodepointLength(), ScalarType::Long, data, offsets)
                               : byte_lengths(kOp, data, offsets);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_length, "(Tensor data, Tensor offsets, str unit='codepoint') -> Tensor", "int64")
STRINGOPS_REDUCE(string_width, Width, ScalarType::Long)
