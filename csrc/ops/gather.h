// Calls the gather driver for results that are new string tensors.
#pragma once

#include "kernels/gather.h"

#include <algorithm>
#include <tuple>

#include "ops/register.h"

namespace stringops {

inline Sizes shape_of(const Tensor& t) {
  const auto sizes = t.sizes();
  return {sizes.begin(), sizes.end()};
}

// Returns the shape of the offsets of strings of this shape. It is checked before anything of that size is copied.
inline Sizes offsets_shape(const char* op, const Tensor& like) {
  Sizes shape = shape_of(like);
  ++shape.back();
  check_result_offsets(op, shape);
  return shape;
}

// Returns the strings of the selection. Their offsets have the shape `shape`; if that is empty, they are a vector.
template <class Selection, class Check>
std::tuple<Tensor, Tensor> gather(const char* op, double ns, const Selection& selection, Sizes shape, Check&& check) {
  Tensor data, offsets;
  kernels::gather_strings(op, TorchRunner(), ns, selection, check, [&](int64_t count, int64_t num_bytes) {
    if (shape.empty()) shape.push_back(count + 1);
    data = new_tensor({num_bytes}, ScalarType::Byte);
    offsets = new_tensor(shape, ScalarType::Int);
    auto* const first = mutable_ptr<int32_t>(offsets);
    if (count == 0) std::fill_n(first, offsets.numel(), 0);  // rows without strings have one offset
    return kernels::GatherOutput{mutable_ptr<uint8_t>(data), first, shape.back() - 1};
  });
  return {std::move(data), std::move(offsets)};
}

inline constexpr auto kNoErrors = [](const kernels::Selected&) {};

}  // namespace stringops
