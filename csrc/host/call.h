// Calls of operators: their arguments on torch's stack, and their results.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/c/shim.h>
#include <torch/csrc/stable/stableivalue_conversions.h>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/schema.h"
#include "host/tensor.h"

// torch's names for the types behind the handles. Operators delete the lists that they get, except for shared ones.
struct StableListOpaque {
  std::vector<StableIValue> items;
  bool is_shared = false;  // belongs to a kernel object, as all strings do
};

struct StringOpaque {
  std::string text;
};

namespace stringops::host {

// Return a number or a handle as it is on torch's stack, and back.
template <class T>
StableIValue box(T value) {
  return torch::stable::detail::from(value);
}

template <class T>
T unbox(StableIValue value) {
  return torch::stable::detail::to<T>(value);
}

using BoxedKernel = void (*)(StableIValue* stack, uint64_t num_arguments, uint64_t num_results);

// Calls visit(schema, kernel) for each operator that the objects of csrc/ops registered when the library was loaded. A
// schema is the text that torch parses, without namespace.
void for_each_operator(void (*visit)(const char* schema, BoxedKernel kernel, void* context), void* context);

// The values of a call. It owns them until the kernel is called, which then owns them.
class Stack {
 public:
  Stack(size_t num_arguments, size_t num_results) {
    values_.reserve(std::max(num_arguments, num_results));
    boxes_.reserve(num_arguments);
    lists_.reserve(num_arguments);
  }

  void push(StableIValue value, bool is_optional) {
    if (is_optional) value = box(boxes_.emplace_back(std::make_unique<StableIValue>(value)).get());
    values_.push_back(value);
  }
  void push_none() { values_.push_back(box(static_cast<StableIValue*>(nullptr))); }
  void push_list(std::vector<StableIValue> items, bool is_optional) {
    StableListOpaque* const list = lists_.emplace_back(std::make_unique<StableListOpaque>()).get();
    list->items = std::move(items);
    push(box(list), is_optional);
  }

  // Calls the kernel, whose results are on the stack afterwards.
  StableIValue* call(BoxedKernel kernel, size_t num_results) {
    const size_t num_arguments = values_.size();
    values_.resize(std::max(num_arguments, num_results));
    for (auto& box : boxes_) box.release();
    for (auto& list : lists_) list.release();
    kernel(values_.data(), num_arguments, num_results);
    return values_.data();
  }

 private:
  std::vector<StableIValue> values_;
  std::vector<std::unique_ptr<StableIValue>> boxes_;
  std::vector<std::unique_ptr<StableListOpaque>> lists_;
};

// A result, of which it is an owner.
struct ReleaseTensor {
  void operator()(AtenTensorHandle tensor) const { aoti_torch_delete_tensor_object(tensor); }
};
using Result = std::unique_ptr<AtenTensorOpaque, ReleaseTensor>;

// Calls an operator, and takes its results from the stack.
inline std::vector<Result> call(const Schema& schema, BoxedKernel kernel, Stack& stack) {
  const auto handle = [](StableIValue value) { return unbox<AtenTensorHandle>(value); };
  const StableIValue* const values = stack.call(kernel, schema.returns_list ? 1 : schema.num_results);
  std::vector<Result> results;
  if (!schema.returns_list) {
    results.reserve(schema.num_results);
    for (size_t i = 0; i < schema.num_results; ++i) results.emplace_back(handle(values[i]));
    return results;
  }
  const std::unique_ptr<StableListOpaque> list(unbox<StableListHandle>(values[0]));
  results.reserve(list->items.size());
  for (const StableIValue item : list->items) results.emplace_back(handle(item));
  return results;
}

}  // namespace stringops::host
