// The element types that torch and onnxruntime have in common. onnxruntime has no tensors of complex numbers.
#pragma once

#include <torch/headeronly/core/ScalarType.h>

#include <cstdint>
#include <string_view>

#include "ort/abi.h"

namespace stringops::ort {

struct TypePair {
  ElementType ort;
  torch::headeronly::ScalarType torch;
  int64_t num_bytes;
  const char* name;  // torch's, as in attributes and errors
};

// Return null if there is no such type.
const TypePair* find_type(ElementType type);
const TypePair* find_type(torch::headeronly::ScalarType type);
const TypePair* find_type(std::string_view name);

}  // namespace stringops::ort
