// The operators that csrc/ops registers, as nodes: tensors and SymInts are inputs, all other arguments are attributes.
// A constant SymInt may also be an attribute.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "core/fail.h"
#include "host/call.h"
#include "ops/result_types.h"
#include "ort/attributes.h"
#include "ort/custom_op.h"

namespace stringops::ort {

using host::box;
using host::BoxedKernel;
using host::DType;
using host::parse_schema;
using host::Result;
using host::Schema;
using host::Stack;

namespace {

// An argument that is the same in every run of a node. Its strings and lists are shared by all runs.
class Attribute {
 public:
  Attribute(const Argument& argument, std::optional<Constant> constant)
      : kind_(argument.kind), is_list_(argument.is_list), is_none_(!constant) {
    if (is_none_) return;
    for (std::string& text : constant->strings) strings_.push_back({std::move(text)});
    ints_ = std::move(constant->ints);
    floats_ = std::move(constant->floats);
    list_.is_shared = true;
    for (const int64_t value : ints_) list_.items.push_back(box(value));
    for (StringOpaque& text : strings_) list_.items.push_back(box(&text));
  }
  Attribute(const Attribute&) = delete;
  Attribute& operator=(const Attribute&) = delete;

  bool is_none() const { return is_none_; }

  StableIValue value() const {
    if (is_list_) return box(const_cast<StableListHandle>(&list_));
    switch (kind_) {
      case Kind::kFloat:
        return box(floats_[0]);
      case Kind::kBool:
        return box(ints_[0] != 0);
      case Kind::kScalarType:
        return box(static_cast<int32_t>(ints_[0]));
      default:
        return list_.items[0];
    }
  }

 private:
  Kind kind_;
  bool is_list_, is_none_;
  std::vector<int64_t> ints_;
  std::vector<double> floats_;
  std::vector<StringOpaque> strings_;
  StableListOpaque list_;
};

class SchemaKernel final : public Kernel {
 public:
  SchemaKernel(const Schema& schema, BoxedKernel kernel, Table api, const KernelInfo* info)
      : schema_(schema), kernel_(kernel) {
    for (const Argument& argument : schema.arguments) {
      auto value = argument.kind == Kind::kTensor ? argument.default_value
                                                  : read_attribute(api, info, schema.op.c_str(), argument);
      attributes_.push_back(std::make_unique<Attribute>(argument, std::move(value)));
    }
  }

  void run(const Node& node) const override {
    const size_t num_inputs = node.num_inputs();
    const std::unique_ptr<AtenTensorOpaque[]> inputs(new AtenTensorOpaque[num_inputs + 1]);
    for (size_t i = 0; i < num_inputs; ++i) {
      if (const Value* const value = node.input(i)) {
        borrow_input(node, value, schema_.op.c_str(), input_name(i).c_str(), &inputs[i]);
      }
    }
    Stack stack(schema_.arguments.size(), schema_.num_results);
    push_arguments(inputs.get(), num_inputs, &stack);
    store(node, host::call(schema_, kernel_, stack));
  }

 private:
  static size_t num_single_inputs(const Schema& schema) {
    return static_cast<size_t>(std::count_if(schema.arguments.begin(), schema.arguments.end(),
                                             [](const Argument& a) { return a.is_input() && !a.is_tensor_list(); }));
  }

  const std::string& input_name(size_t index) const {
    const Argument* variadic = nullptr;
    for (const Argument& argument : schema_.arguments) {
      if (argument.is_tensor_list()) {
        variadic = &argument;
      } else if (argument.is_input() && index-- == 0) {
        return argument.name;
      }
    }
    return variadic->name;
  }

  void push_arguments(AtenTensorOpaque* inputs, size_t num_inputs, Stack* stack) const {
    AtenTensorOpaque* const after_last = inputs + num_inputs;  // stands for the inputs that the node does not have
    const size_t num_single = num_single_inputs(schema_);
    size_t next = 0;
    for (size_t i = 0; i < schema_.arguments.size(); ++i) {
      const Argument& argument = schema_.arguments[i];
      if (argument.is_tensor_list()) {
        std::vector<StableIValue> items;
        for (size_t k = num_single; k < num_inputs; ++k) items.push_back(box(defined(argument, &inputs[k])));
        stack->push_list(std::move(items), false);
        continue;
      }
      AtenTensorOpaque* const input = argument.is_input() && next < num_inputs ? &inputs[next] : after_last;
      next += argument.is_input();
      if (argument.is_input() && input->type) {
        push_input(argument, input, stack);
      } else if (!attributes_[i]->is_none()) {
        stack->push(attributes_[i]->value(), argument.is_optional);
      } else if (argument.is_optional) {
        stack->push_none();
      } else {
        // The kernel reports it, as it does for a None from Python.
        STRINGOPS_CHECK(argument.kind == Kind::kTensor, schema_.op, ": expected an input for `", argument.name, "`");
        input->owners.fetch_add(1, std::memory_order_relaxed);
        stack->push(box(input), false);
      }
    }
  }

  AtenTensorOpaque* defined(const Argument& argument, AtenTensorOpaque* input) const {
    STRINGOPS_CHECK(input->type, schema_.op, ": expected `", argument.name, "` to be tensors, got None");
    return input;
  }

  void push_input(const Argument& argument, AtenTensorOpaque* input, Stack* stack) const {
    if (argument.kind == Kind::kTensor) return stack->push(box(input), argument.is_optional);
    const auto* const ints = static_cast<const int64_t*>(input->data);
    const bool is_valid = input->type->torch == torch::headeronly::ScalarType::Long &&
                          (argument.is_list ? input->sizes.size() == 1 : input->numel == 1);
    STRINGOPS_CHECK(is_valid, schema_.op, ": expected `", argument.name, "` to be ",
                    argument.is_list ? "an int64 tensor of rank 1" : "one int64", ", got ", input->type->name,
                    " of shape ", shape_text(input->sizes));
    if (!argument.is_list) return stack->push(box(ints[0]), argument.is_optional);
    std::vector<StableIValue> items;
    items.reserve(static_cast<size_t>(input->numel));
    std::transform(ints, ints + input->numel, std::back_inserter(items), [](int64_t value) { return box(value); });
    stack->push_list(std::move(items), argument.is_optional);
  }

  // A result may be one of the arguments, so all results are copied.
  void store(const Node& node, const std::vector<Result>& results) const {
    STRINGOPS_CHECK(!schema_.returns_list || node.num_outputs() == results.size(), schema_.op, ": returned ",
                    results.size(), " tensors, but the model declares ", node.num_outputs(), " outputs");
    for (size_t i = 0; i < results.size(); ++i) {
      const AtenTensorOpaque& result = *results[i];
      Value* const output = node.output(i, schema_.op.c_str(), element_type_of(*result.type), result.sizes);
      if (output && result.numel > 0) {
        std::memcpy(data_of(node.api(), output), result.data, static_cast<size_t>(result.num_bytes()));
      }
    }
  }

  const Schema& schema_;
  BoxedKernel kernel_;
  std::vector<std::unique_ptr<Attribute>> attributes_;  // and what inputs are if the node does not have them
};

ElementType input_type(const Argument& argument) {
  const std::string_view name = argument.name;
  const auto ends_with = [&](std::string_view end) {
    return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
  };
  if (argument.kind == Kind::kSymInt || name == "row_splits" || name == "lengths" || name == "split")
    return ElementType::kInt64;
  if (ends_with("offsets")) return ElementType::kInt32;
  return ends_with("data") ? ElementType::kUint8 : ElementType::kAny;
}

std::vector<Parameter> input_parameters(const Schema& schema) {
  std::vector<Parameter> single, variadic;
  for (const Argument& argument : schema.arguments) {
    if (argument.is_tensor_list()) {
      variadic.push_back({ElementType::kAny, Arity::kVariadic, false});
    } else if (argument.is_input()) {
      // A size may be an attribute: earlier versions wrote some sizes as attributes.
      const bool may_miss = argument.is_optional || argument.has_default || argument.kind == Kind::kSymInt;
      single.push_back({input_type(argument), may_miss ? Arity::kOptional : Arity::kRequired, false});
    }
  }
  single.insert(single.end(), variadic.begin(), variadic.end());
  return single;
}

// Returns a word for each result. Only numbers follow strings.
std::string types_of_results(const Schema& schema, std::string_view text) {
  if (schema.returns_strings) {
    std::string types = "uint8 int32";
    for (size_t i = 2; i < schema.num_results; ++i) types += " int64";
    return types;
  }
  const ResultTypes* found = first_result_types;
  while (found && found->schema != text) found = found->next;
  STRINGOPS_CHECK(found, schema.name, ": no dtypes of results are registered (csrc/ops/register.h)");
  return found->types;
}

// A result of any type has the type of the only input of any type, or the one that the model declares. The runtime
// requires exactly one such input for a required output, but not for an optional one.
std::vector<Parameter> output_parameters(const Schema& schema, std::string_view text) {
  std::vector<Parameter> outputs;
  const std::string types = types_of_results(schema, text);
  std::string_view rest = types;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    const DType* const type = host::find_dtype(word);
    const Arity arity = schema.returns_list ? Arity::kVariadic : type ? Arity::kRequired : Arity::kOptional;
    outputs.push_back({type ? element_type_of(*type) : ElementType::kAny, arity, word != "mixed"});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return outputs;
}

class SchemaOp final : public CustomOp {
 public:
  SchemaOp(const char* text, Schema schema, BoxedKernel kernel)
      : CustomOp(op_type_of(schema.name), input_parameters(schema), output_parameters(schema, text)),
        schema_(std::move(schema)),
        kernel_(kernel) {}

  std::unique_ptr<Kernel> make_kernel(Table api, const KernelInfo* info) const override {
    return std::make_unique<SchemaKernel>(schema_, kernel_, api, info);
  }

 private:
  static std::string op_type_of(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }

  const Schema schema_;
  const BoxedKernel kernel_;
};

}  // namespace

std::vector<std::unique_ptr<CustomOp>> make_schema_ops() {
  std::vector<std::unique_ptr<CustomOp>> ops;
  host::for_each_operator(
      [](const char* text, BoxedKernel kernel, void* context) {
        auto& made = *static_cast<std::vector<std::unique_ptr<CustomOp>>*>(context);
        made.push_back(std::make_unique<SchemaOp>(text, parse_schema(text), kernel));
      },
      &ops);
  return ops;
}

}  // namespace stringops::ort
