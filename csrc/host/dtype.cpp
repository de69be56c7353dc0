#include "host/dtype.h"

namespace stringops::host {
namespace {

using torch::headeronly::ScalarType;

// Those that torch and ONNX have in common, without complex numbers, of which onnxruntime has no tensors.
constexpr DType kTypes[] = {
    {ScalarType::Byte, 1, "uint8", 2},     {ScalarType::Int, 4, "int32", 6},
    {ScalarType::Long, 8, "int64", 7},     {ScalarType::Bool, 1, "bool", 9},
    {ScalarType::Float, 4, "float32", 1},  {ScalarType::Double, 8, "float64", 11},
    {ScalarType::Half, 2, "float16", 10},  {ScalarType::BFloat16, 2, "bfloat16", 16},
    {ScalarType::Char, 1, "int8", 3},      {ScalarType::Short, 2, "int16", 5},
    {ScalarType::UInt16, 2, "uint16", 4},  {ScalarType::UInt32, 4, "uint32", 12},
    {ScalarType::UInt64, 8, "uint64", 13},
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

const DType* find_onnx_dtype(int number) {
  return find_if([&](const DType& type) { return type.onnx == number; });
}

}  // namespace stringops::host
