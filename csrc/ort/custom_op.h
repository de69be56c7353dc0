// Operators as the runtime sees them: a record of functions for each, and kernel objects, one for each node.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/tensor.h"
#include "ort/abi.h"

namespace stringops::ort {

// Throws std::runtime_error with the runtime's text if a call has failed.
void check(Table api, Status* status);

// Returns null if torch has no such type, as for strings.
inline const host::DType* dtype_of(ElementType type) {
  return host::find_onnx_dtype(static_cast<int>(type));
}

inline ElementType element_type_of(const host::DType& dtype) {
  return static_cast<ElementType>(dtype.onnx);
}

// The type, the sizes and the address of a tensor of numbers or strings.
struct TensorInfo {
  ElementType type{};
  std::vector<int64_t> sizes;
};

TensorInfo info_of(Table api, const Value* value);

// The inputs and outputs of a node that is running.
class Node {
 public:
  Node(Table api, KernelContext* context) : api_(api), context_(context) {}

  Table api() const { return api_; }
  size_t num_inputs() const;
  size_t num_outputs() const;

  // Returns null for an input that the node does not have.
  const Value* input(size_t index) const;

  // Returns the memory of a new output, or null if the node does not have it. Throws if the model has declared another
  // type for it.
  Value* output(size_t index, const char* op, ElementType type, const std::vector<int64_t>& sizes) const;

 private:
  Table api_;
  KernelContext* context_;
};

// Returns the address of a tensor that is not of strings.
void* data_of(Table api, const Value* value);

// Makes a tensor of an input, which is not copied if it is aligned for its type. `tensor` gets a second owner, so it
// exists until the caller destroys it. `name` is the input's in errors.
void borrow_input(const Node& node, const Value* value, const char* op, const char* name, AtenTensorOpaque* tensor);

// The state of a node. Any number of threads may run it at the same time.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run(const Node& node) const = 0;
};

struct Parameter {
  ElementType type = ElementType::kAny;
  Arity arity = Arity::kRequired;
  bool alike = false;  // whether all tensors of a variadic parameter have the same type
};

class CustomOp : public Record {
 public:
  CustomOp(std::string op_type, std::vector<Parameter> inputs, std::vector<Parameter> outputs);
  CustomOp(const CustomOp&) = delete;
  CustomOp& operator=(const CustomOp&) = delete;
  virtual ~CustomOp() = default;

  virtual std::unique_ptr<Kernel> make_kernel(Table api, const KernelInfo* info) const = 0;

  const std::string op_type;
  const std::vector<Parameter> inputs, outputs;
};

// Returns the status of the exception that is being handled.
Status* status_of_exception(Table api) noexcept;

// Returns the operators pack and unpack (pack.cpp), and those that are registered (schema_op.cpp).
std::unique_ptr<CustomOp> make_pack_op();
std::unique_ptr<CustomOp> make_unpack_op();
std::vector<std::unique_ptr<CustomOp>> make_schema_ops();

}  // namespace stringops::ort
