// The result of an operator that returns strings, as an allocation callback for drivers (driver/map.h).
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/copy_bytes.h"
#include "core/offsets.h"
#include "driver/map.h"
#include "ops/stable_abi.h"

namespace stringops {

// Drivers write the offsets of flat strings, to the end of the tensor's memory; take() makes offsets of rows of them,
// from the beginning on.
class NewStrings {
 public:
  // `offsets_shape` is the shape of the strings, with one more in the last dimension.
  explicit NewStrings(Sizes offsets_shape) : shape_(std::move(offsets_shape)) {}

  kernels::MapOutput operator()(int64_t num_bytes) {
    data_ = new_tensor({num_bytes}, ScalarType::Byte);
    offsets_ = new_tensor(shape_, ScalarType::Int);
    cols_ = shape_.back() - 1;
    rows_ = shape_.size() == 1 ? 1 : offsets_.numel() / (cols_ + 1);
    int32_t* const flat = flat_offsets();
    if (rows_ > 0) *flat = 0;
    return {mutable_ptr<uint8_t>(data_), flat};
  }

  // Changes the size of the data, of which it keeps the first bytes: in place, unless that wastes memory.
  kernels::MapOutput resize(int64_t num_bytes, int64_t kept) {
    const int64_t capacity = data_.numel();
    if (num_bytes <= capacity && capacity - num_bytes <= capacity / 8) {
      data_ = first_elements(data_, num_bytes);
    } else {
      const Tensor old = std::exchange(data_, new_tensor({num_bytes}, ScalarType::Byte));
      copy_bytes(mutable_ptr<uint8_t>(data_), const_ptr<uint8_t>(old), kept);
    }
    return {mutable_ptr<uint8_t>(data_), flat_offsets()};
  }

  std::tuple<Tensor, Tensor> take() {
    if (rows_ != 1) write_row_offsets(flat_offsets(), rows_, cols_, mutable_ptr<int32_t>(offsets_));
    return {std::move(data_), std::move(offsets_)};
  }

 private:
  int32_t* flat_offsets() const { return mutable_ptr<int32_t>(offsets_) + std::max<int64_t>(rows_ - 1, 0); }

  const Sizes shape_;
  int64_t rows_ = 1, cols_ = 0;
  Tensor data_, offsets_;
};

}  // namespace stringops
