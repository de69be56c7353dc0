// The result of an operator that returns strings, as an allocation callback for drivers (driver/map.h).
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include "driver/map.h"
#include "ops/stable_abi.h"

namespace stringops {

class NewStrings {
 public:
  // `offsets_shape` is the shape of the strings, with one more in the last dimension.
  explicit NewStrings(Sizes offsets_shape) : shape_(std::move(offsets_shape)) {}

  // A second call replaces the data.
  kernels::MapOutput operator()(int64_t num_bytes) {
    data_ = new_tensor({num_bytes}, ScalarType::Byte);
    if (!offsets_.get()) offsets_ = new_tensor(shape_, ScalarType::Int);
    auto* const offsets = mutable_ptr<int32_t>(offsets_);
    // Rows without strings have one offset, which drivers do not write.
    if (shape_.back() == 1) std::fill_n(offsets, offsets_.numel(), 0);
    return {mutable_ptr<uint8_t>(data_), offsets};
  }

  std::tuple<Tensor, Tensor> take() { return {std::move(data_), std::move(offsets_)}; }

 private:
  const Sizes shape_;
  Tensor data_, offsets_;
};

}  // namespace stringops
