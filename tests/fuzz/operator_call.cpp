#include "operator_call.h"

#include <algorithm>
#include <cstring>

#include "core/fail.h"
#include "fuzz.h"

namespace stringops::fuzz {
namespace {

thread_local host::BoxedKernel real_kernel = nullptr;
thread_local memory::Plan* kernel_plan = nullptr;

// The plan concerns what the operator allocates, not what its caller does.
void planned_kernel(StableIValue* stack, uint64_t num_arguments, uint64_t num_results) {
  const memory::Planned planned(kernel_plan);
  real_kernel(stack, num_arguments, num_results);
}

host::Result make_tensor(const TensorValue& value) {
  host::Result tensor(new AtenTensorOpaque());
  if (!value.dtype) return tensor;
  tensor->type = value.dtype;
  tensor->sizes = value.sizes;
  tensor->numel = value.numel();
  REQUIRE(static_cast<size_t>(tensor->num_bytes()) == value.bytes.size());
  if (tensor->numel == 0) return tensor;  // without memory, as in torch
  tensor->memory = host::allocate_aligned(tensor->num_bytes());
  tensor->data = tensor->memory.get();
  std::memcpy(tensor->data, value.bytes.data(), value.bytes.size());
  return tensor;
}

std::vector<TensorValue> values_of(const std::vector<host::Result>& results) {
  std::vector<TensorValue> values;
  for (const host::Result& result : results) {
    values.push_back(
        {result->type, result->sizes, text_of(static_cast<const uint8_t*>(result->data), result->num_bytes())});
  }
  return values;
}

}  // namespace

bool Operator::has_strings_at(size_t at) const {
  const auto& arguments = schema.arguments;
  if (at + 1 >= arguments.size()) return false;
  const std::string &data = arguments[at].name, &offsets = arguments[at + 1].name;
  return data.size() >= 4 && data.substr(data.size() - 4) == "data" &&
         offsets == data.substr(0, data.size() - 4) + "offsets";
}

const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = [] {
    std::vector<Operator> found;
    host::for_each_operator(
        [](const char* text, host::BoxedKernel kernel, void* context) {
          static_cast<std::vector<Operator>*>(context)->push_back({host::parse_schema(text), kernel});
        },
        &found);
    std::sort(found.begin(), found.end(),
              [](const Operator& a, const Operator& b) { return a.schema.name < b.schema.name; });
    return found;
  }();
  return all;
}

const Operator* find_operator(const std::string& name) {
  for (const Operator& op : operators()) {
    if (op.schema.name == name) return &op;
  }
  return nullptr;
}

int64_t TensorValue::numel() const {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

Value default_of(const host::Argument& argument) {
  Value value;
  value.is_none = !argument.default_value;
  if (argument.default_value) value.constant = *argument.default_value;
  return value;
}

uint64_t Outcome::hash() const {
  uint64_t state = 0xCBF29CE484222325;
  const auto add = [&](std::string_view bytes) {
    for (const char c : bytes) state = (state ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  };
  if (is_error) add(error);
  for (const TensorValue& result : results) {
    add(result.dtype->name);
    std::string sizes;
    for (const int64_t size : result.sizes) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    add("[" + sizes + "]");
    add(result.bytes);
  }
  return state;
}

Call::Call(const Operator& op, const Values& values) : op_(op), values_(values) {
  for (Value& value : values_) {
    for (TensorValue& tensor : value.tensors) {
      tensors_.push_back(make_tensor(tensor));
      tensor.bytes.clear();
    }
    for (const std::string& text : value.constant.strings) {
      strings_.push_back(std::make_unique<StringOpaque>(StringOpaque{text}));
    }
  }
}

// The kernel becomes an owner of the tensor.
StableIValue Call::next_tensor(size_t* index) const {
  AtenTensorOpaque* const tensor = tensors_[(*index)++].get();
  tensor->owners.fetch_add(1, std::memory_order_relaxed);
  return host::box(tensor);
}

Outcome Call::run(memory::Plan* plan) const {
  host::Stack stack(op_.schema.arguments.size(), op_.schema.num_results);
  size_t tensor = 0, string = 0;
  for (size_t i = 0; i < values_.size(); ++i) {
    const host::Argument& argument = op_.schema.arguments[i];
    const Value& value = values_[i];
    std::vector<StableIValue> items;
    for (size_t k = 0; k < value.tensors.size(); ++k) items.push_back(next_tensor(&tensor));
    for (size_t k = 0; k < value.constant.strings.size(); ++k) items.push_back(host::box(strings_[string++].get()));
    for (const double number : value.constant.floats) items.push_back(host::box(number));
    for (const int64_t number : value.constant.ints) {
      items.push_back(argument.kind == host::Kind::kBool         ? host::box(number != 0)
                      : argument.kind == host::Kind::kScalarType ? host::box(static_cast<int32_t>(number))
                                                                 : host::box(number));
    }
    if (value.is_none) {
      stack.push_none();
    } else if (argument.is_list) {
      stack.push_list(std::move(items), argument.is_optional);
    } else {
      REQUIRE(items.size() == 1);
      stack.push(items[0], argument.is_optional);
    }
  }
  Outcome outcome;
  try {
    real_kernel = op_.kernel;
    kernel_plan = plan;
    outcome.results = values_of(host::call(op_.schema, planned_kernel, stack));
  } catch (const std::bad_alloc&) {
    outcome.is_error = outcome.lacks_memory = true;
  } catch (const std::exception& error) {
    outcome.is_error = true;
    outcome.error = error.what();
    // torch's error for a function of its C interface that has failed
    outcome.lacks_memory = outcome.error.find("API call failed") != std::string::npos;
  }
  return outcome;
}

}  // namespace stringops::fuzz
