// Calls of registered operators on the host (csrc/host): their arguments in buffers of exactly their size, and what a
// call gives, an error included, as bytes that can be compared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/call.h"
#include "memory.h"

namespace stringops::fuzz {

struct Operator {
  host::Schema schema;
  host::BoxedKernel kernel = nullptr;

  // Whether arguments `at` and `at + 1` are the data and the offsets of strings.
  bool has_strings_at(size_t at) const;
};

// All registered operators, by name.
const std::vector<Operator>& operators();
const Operator* find_operator(const std::string& name);

struct TensorValue {
  const host::DType* dtype = nullptr;  // null in an undefined tensor, which stands for None
  std::vector<int64_t> sizes;
  std::string bytes;

  int64_t numel() const;
  bool operator==(const TensorValue& o) const { return dtype == o.dtype && sizes == o.sizes && bytes == o.bytes; }
};

// The value of an argument: the tensors of a tensor or of a list of tensors, or an attribute.
struct Value {
  bool is_none = false;
  host::Constant constant;
  std::vector<TensorValue> tensors;
};
using Values = std::vector<Value>;

Value default_of(const host::Argument& argument);

struct Outcome {
  std::vector<TensorValue> results;
  bool is_error = false, lacks_memory = false;
  std::string error;

  uint64_t hash() const;  // as write_samples.py hashes it
  bool operator==(const Outcome& o) const { return is_error == o.is_error && error == o.error && results == o.results; }
};

class Call {
 public:
  Call(const Operator& op, const Values& values);

  // Any number of threads may run it at the same time. Allocations go by the plan, if there is one.
  Outcome run(memory::Plan* plan = nullptr) const;

  // The tensors, which a test may change.
  const std::vector<host::Result>& tensors() const { return tensors_; }

 private:
  StableIValue next_tensor(size_t* index) const;

  const Operator& op_;
  Values values_;
  std::vector<host::Result> tensors_;                   // those of all arguments
  std::vector<std::unique_ptr<StringOpaque>> strings_;  // those of all attributes
};

}  // namespace stringops::fuzz
