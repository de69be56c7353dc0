// The result of an operator that returns strings, as an allocation callback for drivers (driver/map.h).
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/row_offsets.h"
#include "driver/map.h"
#include "ops/stable_abi.h"

namespace stringops {

// Drivers write the offsets of flat strings, to the end of the tensor's memory; take() makes offsets of rows of them,
// from the beginning on.
class NewStrings {
 public:
  // `offsets_shape` is the shape of the strings, with one more in the last dimension.
  explicit NewStrings(Sizes offsets_shape) : shape_(std::move(offsets_shape)) {}

  // A second call replaces the data.
  kernels::MapOutput operator()(int64_t num_bytes) {
    data_ = new_tensor({num_bytes}, ScalarType::Byte);
    if (!offsets_.get()) {
      offsets_ = new_tensor(shape_, ScalarType::Int);
      cols_ = shape_.back() - 1;
      rows_ = shape_.size() == 1 ? 1 : offsets_.numel() / (cols_ + 1);
    }
    int32_t* const flat = flat_offsets();
    if (rows_ > 0) *flat = 0;
    return {mutable_ptr<uint8_t>(data_), flat};
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
