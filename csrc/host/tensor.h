// Tensors of this library, which implement torch's stable ABI for the operators: contiguous, on the CPU, immutable once
// an operator has returned them.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/c/shim.h>
#include <torch/headeronly/core/ScalarType.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace stringops::host {

// An element type of tensors.
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

// torch's name for the type behind a tensor's handle. A handle is one of its owners.
struct AtenTensorOpaque {
  const stringops::host::DType* type = nullptr;  // null in an undefined tensor, which stands for None
  void* data = nullptr;
  int64_t numel = 0;
  std::vector<int64_t> sizes;
  std::shared_ptr<uint8_t> memory;  // empty if `data` is another's
  std::atomic<int> owners{1};

  int64_t num_bytes() const { return type ? numel * type->num_bytes : 0; }
};

namespace stringops::host {

// Returns the number of elements of a tensor of these sizes. Throws if they are negative or if there are 2**60 bytes or
// more.
int64_t count_elements_of(const std::vector<int64_t>& sizes, const DType& type);

// Where tensors get their memory: aligned as torch aligns it, unless a program sets other functions before its first
// tensor. `allocate` throws std::bad_alloc.
struct TensorMemory {
  void* (*allocate)(size_t num_bytes);
  void (*free)(void* memory);
};
extern TensorMemory tensor_memory;

std::shared_ptr<uint8_t> allocate_aligned(int64_t num_bytes);

}  // namespace stringops::host
