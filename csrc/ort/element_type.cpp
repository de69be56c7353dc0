#include "ort/element_type.h"

namespace stringops::ort {
namespace {

using torch::headeronly::ScalarType;

constexpr TypePair kTypes[] = {
    {ElementType::kUint8, ScalarType::Byte, 1, "uint8"},
    {ElementType::kInt32, ScalarType::Int, 4, "int32"},
    {ElementType::kInt64, ScalarType::Long, 8, "int64"},
    {ElementType::kBool, ScalarType::Bool, 1, "bool"},
    {ElementType::kFloat, ScalarType::Float, 4, "float32"},
    {ElementType::kDouble, ScalarType::Double, 8, "float64"},
    {ElementType::kFloat16, ScalarType::Half, 2, "float16"},
    {ElementType::kBfloat16, ScalarType::BFloat16, 2, "bfloat16"},
    {ElementType::kInt8, ScalarType::Char, 1, "int8"},
    {ElementType::kInt16, ScalarType::Short, 2, "int16"},
    {ElementType::kUint16, ScalarType::UInt16, 2, "uint16"},
    {ElementType::kUint32, ScalarType::UInt32, 4, "uint32"},
    {ElementType::kUint64, ScalarType::UInt64, 8, "uint64"},
};

template <class Is>
const TypePair* find_if(Is&& is) {
  for (const TypePair& pair : kTypes) {
    if (is(pair)) return &pair;
  }
  return nullptr;
}

}  // namespace

const TypePair* find_type(ElementType type) {
  return find_if([&](const TypePair& pair) { return pair.ort == type; });
}

const TypePair* find_type(ScalarType type) {
  return find_if([&](const TypePair& pair) { return pair.torch == type; });
}

const TypePair* find_type(std::string_view name) {
  return find_if([&](const TypePair& pair) { return pair.name == name; });
}

}  // namespace stringops::ort
