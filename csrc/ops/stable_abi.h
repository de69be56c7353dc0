// Workarounds for LibTorch's stable ABI, each tagged TODO_STABLE_ABI, and helpers around its calls that every operator
// uses. The target is the ABI of 2.10; see setup.py.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "ops/tensor_handle.h"

namespace stringops {

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
