#include "ort/element_type.h"

#include <algorithm>
#include <iterator>

namespace stringops::ort {
namespace {

using torch::headeronly::ScalarType;

// All types of host/dtype.cpp.
constexpr struct {
  ElementType ort;
  ScalarType torch;
} kTypes[] = {
    {ElementType::kUint8, ScalarType::Byte},    {ElementType::kInt32, ScalarType::Int},
    {ElementType::kInt64, ScalarType::Long},    {ElementType::kBool, ScalarType::Bool},
    {ElementType::kFloat, ScalarType::Float},   {ElementType::kDouble, ScalarType::Double},
    {ElementType::kFloat16, ScalarType::Half},  {ElementType::kBfloat16, ScalarType::BFloat16},
    {ElementType::kInt8, ScalarType::Char},     {ElementType::kInt16, ScalarType::Short},
    {ElementType::kUint16, ScalarType::UInt16}, {ElementType::kUint32, ScalarType::UInt32},
    {ElementType::kUint64, ScalarType::UInt64},
};

}  // namespace

const host::DType* dtype_of(ElementType type) {
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& pair) { return pair.ort == type; });
  return found == std::end(kTypes) ? nullptr : host::find_dtype(found->torch);
}

ElementType element_type_of(const host::DType& dtype) {
  return std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& pair) { return pair.torch == dtype.torch; })
      ->ort;
}

}  // namespace stringops::ort
