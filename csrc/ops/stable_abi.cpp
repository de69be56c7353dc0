#include "ops/stable_abi.h"

#include <cstring>
#include <new>
#include <utility>

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

namespace {

constexpr int64_t kMaxShortRow = 16;

// Whether these are offsets of rows of few strings, such as a column. torch copies these one number at a time.
bool is_short_rows(const Tensor& t) {
  return t.scalar_type() == ScalarType::Int && t.is_cpu() && t.dim() == 2 && t.stride(1) == 1 &&
         t.size(1) <= kMaxShortRow;
}

// Copies rows of kCols numbers. A call of memcpy for each row takes longer than the numbers.
template <size_t kCols>
void copy_rows_of(const int32_t* from, int64_t stride, int64_t rows, int32_t* to) {
  for (int64_t r = 0; r < rows; ++r, from += stride, to += kCols) std::memcpy(to, from, kCols * sizeof(int32_t));
}

template <size_t... kCols>
void copy_short_rows(const int32_t* from, int64_t stride, int64_t rows, int64_t cols, int32_t* to,
                     std::index_sequence<kCols...>) {
  using Copy = void (*)(const int32_t*, int64_t, int64_t, int32_t*);
  static constexpr Copy kCopies[] = {copy_rows_of<kCols>...};
  kCopies[cols](from, stride, rows, to);
}

}  // namespace

Tensor as_contiguous(const Tensor& t) {
  if (t.is_contiguous()) return t.borrow();
  const auto sizes = t.sizes();
  Tensor copy = new_tensor(sizes.data(), sizes.size(), t.scalar_type());
  if (is_short_rows(t)) {
    copy_short_rows(static_cast<const int32_t*>(t.const_data_ptr()), t.stride(0), t.size(0), t.size(1),
                    static_cast<int32_t*>(copy.mutable_data_ptr()), std::make_index_sequence<kMaxShortRow + 1>());
    return copy;
  }
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_copy_(copy.get(), t.get(), 0));
  return copy;
}

}  // namespace stringops
