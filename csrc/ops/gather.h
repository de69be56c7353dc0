// Calls the gather driver for results that are new string tensors.
#pragma once

#include "kernels/gather.h"

#include <optional>
#include <tuple>

#include "ops/new_strings.h"
#include "ops/register.h"

namespace stringops {

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
  std::optional<NewStrings> result;
  kernels::gather_strings(op, TorchRunner(), ns, selection, check, [&](int64_t count, int64_t num_bytes) {
    if (shape.empty()) shape.push_back(count + 1);
    const kernels::MapOutput out = result.emplace(shape)(num_bytes);
    return kernels::GatherOutput{out.data, out.offsets};
  });
  return result->take();
}

inline constexpr auto kNoErrors = [](const kernels::Selected&) {};

}  // namespace stringops
