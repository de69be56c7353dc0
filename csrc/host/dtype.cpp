#include "host/dtype.h"

namespace stringops::host {
namespace {

using torch::headeronly::ScalarType;

constexpr DType kTypes[] = {
    {ScalarType::Byte, 1, "uint8"},    {ScalarType::Int, 4, "int32"},         {ScalarType::Long, 8, "int64"},
    {ScalarType::Bool, 1, "bool"},     {ScalarType::Float, 4, "float32"},     {ScalarType::Double, 8, "float64"},
    {ScalarType::Half, 2, "float16"},  {ScalarType::BFloat16, 2, "bfloat16"}, {ScalarType::Char, 1, "int8"},
    {ScalarType::Short, 2, "int16"},   {ScalarType::UInt16, 2, "uint16"},     {ScalarType::UInt32, 4, "uint32"},
    {ScalarType::UInt64, 8, "uint64"},
};

template <class Is>
const DType* find_if(Is&& is) {
  for (const DType& type : kTypes) {
    if (is(type)) return &type;
  }
  return nullptr;
}

}  // namespace

const DType* find_dtype(ScalarType wanted) {
  return find_if([&](const DType& type) { return type.torch == wanted; });
}

const DType* find_dtype(std::string_view name) {
  return find_if([&](const DType& type) { return type.name == name; });
}

}  // namespace stringops::host
