// Workarounds for LibTorch's stable ABI, each tagged TODO_STABLE_ABI, and helpers around its calls that every operator
// uses. The target is the ABI of 2.10; see setup.py.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/library.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/HeaderOnlyArrayRef.h>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <utility>
#include <vector>

namespace stringops {

using torch::headeronly::ScalarType;

// Returns the number by which the C functions know a type.
inline int32_t dtype_code(ScalarType dtype) {
  return torch::stable::detail::to<int32_t>(torch::stable::detail::from(dtype));
}

// A tensor that is held by its handle. torch::stable::Tensor is held by a shared_ptr: a count in memory of its own, for
// each argument and each result of a call, in addition to torch's. Here, a tensor owns its handle, or borrows it from a
// tensor that outlives it; the arguments of an operator outlive its call.
class Tensor {
 public:
  Tensor() noexcept = default;
  explicit Tensor(AtenTensorHandle owned) noexcept : Tensor(owned, true) {}
  Tensor(Tensor&& other) noexcept : Tensor(std::exchange(other.handle_, nullptr), other.is_owner_) {}
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(is_owner_, other.is_owner_);
    return *this;
  }
  ~Tensor() {
    if (is_owner_ && handle_) aoti_torch_delete_tensor_object(handle_);
  }

  // Returns the same tensor, which is valid as long as this one exists.
  Tensor borrow() const& { return {handle_, false}; }
  Tensor borrow() && = delete;

  // Owns the tensor from now on, if it was borrowed.
  void own() {
    if (is_owner_) return;
    AtenTensorHandle handle = nullptr;
    if (aoti_torch_new_tensor_handle(handle_, &handle) != AOTI_TORCH_SUCCESS) throw std::bad_alloc();
    *this = Tensor(handle);
  }

  AtenTensorHandle get() const { return handle_; }
  // Gives the handle away, which this tensor owns.
  AtenTensorHandle release() { return std::exchange(handle_, nullptr); }

  bool is_defined() const { return property(aoti_torch_is_defined); }
  int64_t dim() const { return property(aoti_torch_get_dim); }
  int64_t numel() const { return property(aoti_torch_get_numel); }
  torch::headeronly::IntHeaderOnlyArrayRef sizes() const {
    return {property(aoti_torch_get_sizes), static_cast<size_t>(dim())};
  }
  int64_t size(int64_t d) const {
    int64_t size = 0;
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_size(handle_, d, &size));
    return size;
  }
  int64_t stride(int64_t d) const {
    int64_t stride = 0;
    STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_get_stride(handle_, d, &stride));
    return stride;
  }
  bool is_contiguous() const { return property(aoti_torch_is_contiguous); }
  bool is_cpu() const { return property(aoti_torch_get_device_type) == aoti_torch_device_type_cpu(); }
  bool has_dtype(ScalarType dtype) const { return property(aoti_torch_get_dtype) == dtype_code(dtype); }
  ScalarType scalar_type() const {
    return torch::stable::detail::to<ScalarType>(torch::stable::detail::from(property(aoti_torch_get_dtype)));
  }
  size_t element_size() const { return aoti_torch_dtype_element_size(property(aoti_torch_get_dtype)); }
  int64_t storage_offset() const { return property(aoti_torch_get_storage_offset); }
  int64_t storage_bytes() const { return property(aoti_torch_get_storage_size); }
  void* mutable_data_ptr() const { return property(torch_get_mutable_data_ptr); }
  const void* const_data_ptr() const { return property(torch_get_const_data_ptr); }

 private:
  Tensor(AtenTensorHandle handle, bool is_owner) noexcept : handle_(handle), is_owner_(is_owner) {}

  template <class T>
  T property(AOTITorchError (*get)(AtenTensorHandle, T*)) const {
    T value{};
    STABLE_TORCH_ERROR_CODE_CHECK(get(handle_, &value));
    return value;
  }

  AtenTensorHandle handle_ = nullptr;
  bool is_owner_ = true;
};

using Sizes = std::vector<int64_t>;

// TODO_STABLE_ABI: torch::stable::empty takes 50 % longer than the C function that it calls.
// This is called for every output of every call, so small shapes are kept off the heap.
Tensor new_tensor(const int64_t* sizes, size_t rank, ScalarType dtype);

inline Tensor new_tensor(const Sizes& sizes, ScalarType dtype) {
  return new_tensor(sizes.data(), sizes.size(), dtype);
}

inline Tensor new_tensor(std::initializer_list<int64_t> sizes, ScalarType dtype) {
  return new_tensor(sizes.begin(), sizes.size(), dtype);
}

inline Sizes shape_of(const Tensor& t) {
  const auto sizes = t.sizes();
  return {sizes.begin(), sizes.end()};
}

// Returns the tensor itself, borrowed, if it is contiguous, else a contiguous copy.
Tensor as_contiguous(const Tensor& t);
Tensor as_contiguous(Tensor&&) = delete;

// Returns the first n elements of a tensor of one dimension, which keeps the memory of all.
Tensor first_elements(const Tensor& t, int64_t n);

template <class T>
T* mutable_ptr(const Tensor& t) {
  return static_cast<T*>(t.mutable_data_ptr());
}

template <class T>
const T* const_ptr(const Tensor& t) {
  return static_cast<const T*>(t.const_data_ptr());
}

}  // namespace stringops
