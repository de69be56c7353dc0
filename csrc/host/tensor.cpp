// The part of torch's stable ABI that is about tensors.
#include "host/tensor.h"

#include <cstring>
#include <new>

#include "core/fail.h"

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

// Exceptions do not cross the C ABI. Callers report a failure as std::bad_alloc.
template <class Body>
AOTITorchError guarded(Body&& body) noexcept {
  try {
    body();
    return AOTI_TORCH_SUCCESS;
  } catch (...) {
    return AOTI_TORCH_FAILURE;
  }
}

const DType* type_of_code(int32_t code) {
  return find_dtype(static_cast<ScalarType>(code));
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

int64_t count_elements_of(const std::vector<int64_t>& sizes, const DType& type) {
  for (const int64_t size : sizes) {
    if (size < 0) throw std::length_error("a tensor has a negative size");
  }
  const int64_t count = count_elements(sizes);
  if (count >= kTooMany / type.num_bytes) throw std::length_error("a tensor is too large");
  return count;
}

namespace {
constexpr std::align_val_t kAlignment{64};
}

TensorMemory tensor_memory = {[](size_t num_bytes) { return ::operator new(num_bytes, kAlignment); },
                              [](void* memory) { ::operator delete(memory, kAlignment); }};

std::shared_ptr<uint8_t> allocate_aligned(int64_t num_bytes) {
  return {static_cast<uint8_t*>(tensor_memory.allocate(static_cast<size_t>(num_bytes))), tensor_memory.free};
}

}  // namespace stringops::host

using namespace stringops::host;

uint64_t aoti_torch_abi_version() {
  return TORCH_ABI_VERSION;
}

int32_t aoti_torch_device_type_cpu() {
  return 0;
}

#define STRINGOPS_DTYPE(name, type)                \
  int32_t aoti_torch_dtype_##name() {              \
    return static_cast<int32_t>(ScalarType::type); \
  }
STRINGOPS_DTYPE(uint8, Byte)
STRINGOPS_DTYPE(uint16, UInt16)
STRINGOPS_DTYPE(uint32, UInt32)
STRINGOPS_DTYPE(uint64, UInt64)
STRINGOPS_DTYPE(int8, Char)
STRINGOPS_DTYPE(int16, Short)
STRINGOPS_DTYPE(int32, Int)
STRINGOPS_DTYPE(int64, Long)
STRINGOPS_DTYPE(bool, Bool)
STRINGOPS_DTYPE(float16, Half)
STRINGOPS_DTYPE(bfloat16, BFloat16)
STRINGOPS_DTYPE(float32, Float)
STRINGOPS_DTYPE(float64, Double)
STRINGOPS_DTYPE(complex32, ComplexHalf)
STRINGOPS_DTYPE(complex64, ComplexFloat)
STRINGOPS_DTYPE(complex128, ComplexDouble)
STRINGOPS_DTYPE(float8_e4m3fn, Float8_e4m3fn)
STRINGOPS_DTYPE(float8_e4m3fnuz, Float8_e4m3fnuz)
STRINGOPS_DTYPE(float8_e5m2, Float8_e5m2)
STRINGOPS_DTYPE(float8_e5m2fnuz, Float8_e5m2fnuz)
#undef STRINGOPS_DTYPE

size_t aoti_torch_dtype_element_size(int32_t dtype) {
  const DType* const type = type_of_code(dtype);
  return type ? static_cast<size_t>(type->num_bytes) : 0;
}

// The strides are not read: the tensors of operators are contiguous (ops/stable_abi.h).
AOTITorchError aoti_torch_empty_strided(int64_t rank, const int64_t* sizes, const int64_t*, int32_t dtype, int32_t,
                                        int32_t, AtenTensorHandle* result) {
  return guarded([&] {
    auto tensor = std::make_unique<AtenTensorOpaque>();
    tensor->type = type_of_code(dtype);
    if (!tensor->type) throw std::invalid_argument("a tensor has a type that the host does not have");
    tensor->sizes.assign(sizes, sizes + rank);
    tensor->numel = count_elements_of(tensor->sizes, *tensor->type);
    tensor->memory = allocate_aligned(tensor->num_bytes());
    tensor->data = tensor->memory.get();
    *result = tensor.release();
  });
}

// The strides and the first element are not read: the operators take only first elements of tensors.
AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle source, int64_t rank, const int64_t* sizes,
                                              const int64_t*, int64_t, AtenTensorHandle* result) {
  return guarded([&] {
    auto tensor = std::make_unique<AtenTensorOpaque>();
    tensor->type = source->type;
    tensor->sizes.assign(sizes, sizes + rank);
    tensor->numel = count_elements_of(tensor->sizes, *tensor->type);
    tensor->memory = source->memory;
    tensor->data = source->data;
    *result = tensor.release();
  });
}

AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle tensor, AtenTensorHandle* result) {
  tensor->owners.fetch_add(1, std::memory_order_relaxed);
  *result = tensor;
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor) {
  if (tensor->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete tensor;
  return AOTI_TORCH_SUCCESS;
}

// Operators copy only what is not contiguous, which no tensor here is, but the ABI has this function.
AOTITorchError aoti_torch_copy_(AtenTensorHandle to, AtenTensorHandle from, int32_t) {
  if (to->sizes != from->sizes || to->type != from->type) return AOTI_TORCH_FAILURE;
  if (from->numel > 0) std::memcpy(to->data, from->data, static_cast<size_t>(from->num_bytes()));
  return AOTI_TORCH_SUCCESS;
}

#define STRINGOPS_PROPERTY(function, type, value)                  \
  AOTITorchError function(AtenTensorHandle tensor, type* result) { \
    *result = value;                                               \
    return AOTI_TORCH_SUCCESS;                                     \
  }
STRINGOPS_PROPERTY(aoti_torch_is_defined, bool, tensor->type != nullptr)
STRINGOPS_PROPERTY(aoti_torch_is_contiguous, bool, true)
STRINGOPS_PROPERTY(aoti_torch_get_device_type, int32_t, aoti_torch_device_type_cpu())
STRINGOPS_PROPERTY(aoti_torch_get_dtype, int32_t, static_cast<int32_t>(tensor->type->torch))
STRINGOPS_PROPERTY(aoti_torch_get_dim, int64_t, static_cast<int64_t>(tensor->sizes.size()))
STRINGOPS_PROPERTY(aoti_torch_get_numel, int64_t, tensor->numel)
STRINGOPS_PROPERTY(aoti_torch_get_sizes, int64_t*, tensor->sizes.data())
STRINGOPS_PROPERTY(aoti_torch_get_storage_offset, int64_t, 0)
STRINGOPS_PROPERTY(aoti_torch_get_storage_size, int64_t, tensor->num_bytes())
STRINGOPS_PROPERTY(torch_get_mutable_data_ptr, void*, tensor->data)
STRINGOPS_PROPERTY(torch_get_const_data_ptr, const void*, tensor->data)
#undef STRINGOPS_PROPERTY

AOTITorchError aoti_torch_get_size(AtenTensorHandle tensor, int64_t axis, int64_t* result) {
  const auto rank = static_cast<int64_t>(tensor->sizes.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return AOTI_TORCH_FAILURE;
  *result = tensor->sizes[static_cast<size_t>(axis)];
  return AOTI_TORCH_SUCCESS;
}

AOTITorchError aoti_torch_get_stride(AtenTensorHandle tensor, int64_t axis, int64_t* result) {
  int64_t size = 0;
  if (aoti_torch_get_size(tensor, axis, &size) != AOTI_TORCH_SUCCESS) return AOTI_TORCH_FAILURE;
  const auto rank = static_cast<int64_t>(tensor->sizes.size());
  uint64_t stride = 1;  // wraps around only if another size is 0, like those of torch
  for (int64_t d = rank; --d > (axis < 0 ? axis + rank : axis);) {
    const int64_t of_axis = tensor->sizes[static_cast<size_t>(d)];
    stride *= of_axis > 1 ? static_cast<uint64_t>(of_axis) : 1;
  }
  *result = static_cast<int64_t>(stride);
  return AOTI_TORCH_SUCCESS;
}
