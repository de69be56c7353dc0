// Result tensors of operators that cut strings, as allocation callbacks for driver/cut.h.
#pragma once

#include <tuple>

#include "driver/cut.h"
#include "ops/check.h"
#include "ops/stable_abi.h"

namespace stringops {

struct RaggedTensors {
  Tensor data, offsets;
  Tensor row_splits;

  explicit RaggedTensors(int64_t rows) : row_splits(new_tensor({rows + 1}, ScalarType::Long)) {}
  explicit RaggedTensors(const Strings& in) : RaggedTensors(in.span.size()) {}

  kernels::RaggedOutput operator()(int64_t num_bytes, int64_t num_pieces) {
    data = new_tensor({num_bytes}, ScalarType::Byte);
    offsets = new_tensor({num_pieces + 1}, ScalarType::Int);
    return {mutable_ptr<uint8_t>(data), mutable_ptr<int32_t>(offsets), mutable_ptr<int64_t>(row_splits)};
  }
  std::tuple<Tensor, Tensor, Tensor> take() { return {std::move(data), std::move(offsets), std::move(row_splits)}; }
};

struct PaddedTensors {
  Tensor data, offsets;
  Sizes shape;

  explicit PaddedTensors(const Strings& in) : shape(in.shape()) {}

  kernels::PaddedOutput operator()(int64_t num_bytes, int64_t width) {
    shape.push_back(width + 1);
    data = new_tensor({num_bytes}, ScalarType::Byte);
    offsets = new_tensor(shape, ScalarType::Int);
    return {mutable_ptr<uint8_t>(data), mutable_ptr<int32_t>(offsets), width};
  }
};

}  // namespace stringops
