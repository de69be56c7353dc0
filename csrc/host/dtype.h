// The element types of tensors.
#pragma once

#include <torch/headeronly/core/ScalarType.h>

#include <cstdint>
#include <string_view>

namespace stringops::host {

struct DType {
  torch::headeronly::ScalarType torch;
  int64_t num_bytes;
  const char* name;  // torch's, as in attributes and errors
  int onnx;          // the number of TensorProto.DataType
};

// Return null if there is no such type.
const DType* find_dtype(torch::headeronly::ScalarType type);
const DType* find_dtype(std::string_view name);
const DType* find_onnx_dtype(int number);

}  // namespace stringops::host
