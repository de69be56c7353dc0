#include "ops/stable_abi.h"

#include <new>

#include "core/platform.h"

namespace stringops {

Tensor new_tensor(const int64_t* sizes, size_t rank, ScalarType dtype) {
  constexpr size_t kSmallRank = 8;
  int64_t small[kSmallRank];
  Sizes large(rank > kSmallRank ? rank : 0);
  int64_t* const strides = rank > kSmallRank ? large.data() : small;
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    strides[d] = stride;
    // The product wraps around only if another size is 0; the strides are not read then.
    const uint64_t factor = sizes[d] > 1 ? static_cast<uint64_t>(sizes[d]) : 1;
    stride = static_cast<int64_t>(static_cast<uint64_t>(stride) * factor);
  }
  AtenTensorHandle handle = nullptr;
  if (aoti_torch_empty_strided(static_cast<int64_t>(rank), sizes, strides, dtype_code(dtype),
                               aoti_torch_device_type_cpu(), 0, &handle) != AOTI_TORCH_SUCCESS) {
    throw std::bad_alloc();
  }
  Tensor result(handle);
  constexpr int64_t kLargestScalar = 16;
  if (stride >= static_cast<int64_t>(kHugePageBytes) / kLargestScalar) {
    advise_huge_pages(result.mutable_data_ptr(), static_cast<size_t>(result.storage_bytes()));
  }
  return result;
}

Tensor as_contiguous(const Tensor& t) {
  if (t.is_contiguous()) return t.borrow();
  const auto sizes = t.sizes();
  Tensor copy = new_tensor(sizes.data(), sizes.size(), t.scalar_type());
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_copy_(copy.get(), t.get(), 0));
  return copy;
}

Tensor first_elements(const Tensor& t, int64_t n) {
  AtenTensorHandle handle = nullptr;
  const int64_t stride = 1;
  if (aoti_torch__reinterpret_tensor(t.get(), 1, &n, &stride, 0, &handle) != AOTI_TORCH_SUCCESS) {
    throw std::bad_alloc();
  }
  return Tensor(handle);
}

}  // namespace stringops
