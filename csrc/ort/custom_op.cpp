#include "ort/custom_op.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "core/fail.h"
#include "core/platform.h"
#include "host/threads.h"

namespace stringops::ort {
namespace {

const CustomOp& op_of(const Record* record) {
  return static_cast<const CustomOp&>(*record);
}

// What a node's kernel object is to the runtime.
struct Handle {
  Table api;
  std::unique_ptr<Kernel> kernel;
};

Status* create_kernel(const Record* record, Table api, const KernelInfo* info, void** result) noexcept {
  try {
    *result = new Handle{api, op_of(record).make_kernel(api, info)};
    return nullptr;
  } catch (...) {
    return status_of_exception(api);
  }
}

// The threads of the session that runs a node.
class SessionThreads final : public host::Threads {
 public:
  SessionThreads(Table api, const KernelContext* context) : api_(api), context_(context) {}

  // The C API does not tell how many threads a session has. If it has fewer than cores, each of them takes more of the
  // parts of a loop.
  uint32_t count() const override { return static_cast<uint32_t>(std::max<int64_t>(usable_cores(), 1)); }

  bool run(size_t count, void (*part)(void*, size_t), void* context) const override {
    Status* const status = KernelContext_ParallelFor(api_, context_, part, count, 0, context);
    if (status) ReleaseStatus(api_, status);
    return !status;
  }

 private:
  Table api_;
  const KernelContext* context_;
};

Status* compute(void* pointer, KernelContext* context) noexcept {
  const auto& [api, kernel] = *static_cast<const Handle*>(pointer);
  try {
    const SessionThreads threads(api, context);
    const host::UsedThreads used(&threads);
    kernel->run(Node(api, context));
    return nullptr;
  } catch (...) {
    return status_of_exception(api);
  }
}

bool ends_alike(const std::vector<Parameter>& parameters) {
  return !parameters.empty() && parameters.back().alike;
}

Record make_record() {
  Record r{};
  r.version = kApiVersion;
  r.name = [](const Record* op) { return op_of(op).op_type.c_str(); };
  r.execution_provider = [](const Record*) { return static_cast<const char*>(nullptr); };
  r.input_type = [](const Record* op, size_t i) { return op_of(op).inputs.at(i).type; };
  r.num_inputs = [](const Record* op) { return op_of(op).inputs.size(); };
  r.output_type = [](const Record* op, size_t i) { return op_of(op).outputs.at(i).type; };
  r.num_outputs = [](const Record* op) { return op_of(op).outputs.size(); };
  r.destroy_kernel = [](void* pointer) { delete static_cast<Handle*>(pointer); };
  r.input_arity = [](const Record* op, size_t i) { return op_of(op).inputs.at(i).arity; };
  r.output_arity = [](const Record* op, size_t i) { return op_of(op).outputs.at(i).arity; };
  r.input_memory = [](const Record*, size_t) { return 0; };
  r.min_variadic_inputs = r.min_variadic_outputs = [](const Record*) { return 0; };
  r.variadic_inputs_are_alike = [](const Record* op) { return static_cast<int>(ends_alike(op_of(op).inputs)); };
  r.variadic_outputs_are_alike = [](const Record* op) { return static_cast<int>(ends_alike(op_of(op).outputs)); };
  r.create_kernel_v2 = create_kernel;
  r.compute_v2 = compute;
  return r;
}

}  // namespace

void check(Table api, Status* status) {
  if (!status) return;
  const std::string text = GetErrorMessage(api, status);
  ReleaseStatus(api, status);
  throw std::runtime_error(text);
}

Status* status_of_exception(Table api) noexcept {
  try {
    throw;
  } catch (const std::logic_error& error) {
    return CreateStatus(api, ErrorCode::kInvalidArgument, error.what());
  } catch (const std::exception& error) {
    return CreateStatus(api, ErrorCode::kFail, error.what());
  } catch (...) {
    return CreateStatus(api, ErrorCode::kFail, "unknown error");
  }
}

TensorInfo info_of(Table api, const Value* value) {
  TypeAndShape* pointer = nullptr;
  check(api, GetTensorTypeAndShape(api, value, &pointer));
  const auto release = [api](TypeAndShape* p) { ReleaseTensorTypeAndShapeInfo(api, p); };
  const std::unique_ptr<TypeAndShape, decltype(release)> owner(pointer, release);
  TensorInfo info;
  size_t rank = 0;
  check(api, GetTensorElementType(api, pointer, &info.type));
  check(api, GetDimensionsCount(api, pointer, &rank));
  info.sizes.resize(rank);
  check(api, GetDimensions(api, pointer, info.sizes.data(), rank));
  return info;
}

void* data_of(Table api, const Value* value) {
  void* data = nullptr;
  check(api, GetTensorMutableData(api, const_cast<Value*>(value), &data));
  return data;
}

size_t Node::num_inputs() const {
  size_t count = 0;
  check(api_, KernelContext_GetInputCount(api_, context_, &count));
  return count;
}

size_t Node::num_outputs() const {
  size_t count = 0;
  check(api_, KernelContext_GetOutputCount(api_, context_, &count));
  return count;
}

const Value* Node::input(size_t index) const {
  const Value* value = nullptr;
  check(api_, KernelContext_GetInput(api_, context_, index, &value));
  return value;
}

Value* Node::output(size_t index, const char* op, ElementType type, const std::vector<int64_t>& sizes) const {
  if (index >= num_outputs()) return nullptr;
  Value* value = nullptr;
  check(api_, KernelContext_GetOutput(api_, context_, index, sizes.data(), sizes.size(), &value));
  if (!value) return nullptr;
  const ElementType declared = info_of(api_, value).type;
  if (declared != type) {
    const auto text = [](ElementType t) { return dtype_of(t) ? dtype_of(t)->name : "strings"; };
    fail(op, ": output ", index, " is ", text(type), ", but the model declares it as ", text(declared));
  }
  return value;
}

void borrow_input(const Node& node, const Value* value, const char* op, const char* name, AtenTensorOpaque* tensor) {
  TensorInfo info = info_of(node.api(), value);
  const host::DType* const type = dtype_of(info.type);
  STRINGOPS_CHECK(type, op, ": expected `", name, "` to be a tensor of numbers",
                  info.type == ElementType::kString ? ", got strings (use the operator pack)" : "");
  tensor->type = type;
  tensor->numel = host::count_elements_of(info.sizes, *type);
  tensor->sizes = std::move(info.sizes);
  tensor->data = data_of(node.api(), value);
  tensor->owners = 2;
  if (reinterpret_cast<uintptr_t>(tensor->data) % static_cast<uintptr_t>(type->num_bytes) == 0) return;
  tensor->memory = host::allocate_aligned(tensor->num_bytes());
  std::memcpy(tensor->memory.get(), tensor->data, static_cast<size_t>(tensor->num_bytes()));
  tensor->data = tensor->memory.get();
}

CustomOp::CustomOp(std::string op_type, std::vector<Parameter> inputs, std::vector<Parameter> outputs)
    : Record(make_record()), op_type(std::move(op_type)), inputs(std::move(inputs)), outputs(std::move(outputs)) {}

}  // namespace stringops::ort
