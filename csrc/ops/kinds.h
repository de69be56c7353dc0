// Operators of three kinds, which map strings to strings, reduce strings to values, and zip pairs of strings to values:
// a macro registers one, and a function of the same kind is for operators with further arguments.
#pragma once

#include <tuple>

#include "driver/map.h"
#include "driver/reduce.h"
#include "driver/zip.h"
#include "ops/new_strings.h"
#include "ops/register.h"

// Registers an operator string -> string, with a functor as described in driver/map.h.
#define STRINGOPS_MAP(name, Functor)                                                  \
  namespace stringops {                                                               \
  static std::tuple<Tensor, Tensor> name(const Tensor& data, const Tensor& offsets) { \
    return map_tensor(#name, kernels::Functor(), data, offsets);                      \
  }                                                                                   \
  }                                                                                   \
  STRINGOPS_OPERATOR(name, "(Tensor data, Tensor offsets) -> (Tensor data, Tensor offsets)")

// Registers an operator string -> value of `dtype`, with a functor as described in driver/reduce.h.
#define STRINGOPS_REDUCE(name, Functor, dtype)                             \
  namespace stringops {                                                    \
  static Tensor name(const Tensor& data, const Tensor& offsets) {          \
    return reduce_tensor(#name, kernels::Functor(), dtype, data, offsets); \
  }                                                                        \
  }                                                                        \
  STRINGOPS_OPERATOR(name, "(Tensor data, Tensor offsets) -> Tensor", dtype)

// Registers an operator two strings -> value of `dtype`, with a kernel as described in driver/zip.h.
#define STRINGOPS_ZIP(name, Kernel, dtype)                                                         \
  namespace stringops {                                                                            \
  static Tensor name(const Tensor& data, const Tensor& offsets, const Tensor& other_data,          \
                     const Tensor& other_offsets) {                                                \
    return zip_tensors(#name, kernels::Kernel(), dtype, data, offsets, other_data, other_offsets); \
  }                                                                                                \
  }                                                                                                \
  STRINGOPS_OPERATOR(name, "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets) -> Tensor", dtype)

namespace stringops {

template <class Functor>
std::tuple<Tensor, Tensor> map_tensor(const char* op, const Functor& f, const Strings& in) {
  NewStrings result(shape_of(in.offsets));
  kernels::map_strings(op, TorchRunner(), f, in.span, result);
  return result.take();
}

template <class Functor>
std::tuple<Tensor, Tensor> map_tensor(const char* op, const Functor& f, const Tensor& data, const Tensor& offsets) {
  return map_tensor(op, f, check_strings(op, data, offsets));
}

template <class Functor>
Tensor reduce_tensor(const Functor& f, ScalarType dtype, const Strings& in) {
  Tensor result = new_tensor(in.shape(), dtype);
  kernels::reduce_strings(TorchRunner(), f, in.span, mutable_ptr<typename Functor::Value>(result));
  return result;
}

template <class Functor>
Tensor reduce_tensor(const char* op, const Functor& f, ScalarType dtype, const Tensor& data, const Tensor& offsets) {
  return reduce_tensor(f, dtype, check_strings(op, data, offsets));
}

// `zip` is called as zip_strings is.
template <class Kernel, class Zip>
Tensor zip_tensors_by(const Zip& zip, const char* op, const Kernel& kernel, ScalarType dtype, const Tensor& data,
                      const Tensor& offsets, const Tensor& other_data, const Tensor& other_offsets) {
  const Strings left = check_strings(op, data, offsets);
  const Strings right = check_strings(op, other_data, other_offsets, "other_data", "other_offsets");
  Tensor result;
  zip(op, TorchRunner(), kernel, left.span, left.shape(), right.span, right.shape(), [&](const Sizes& shape) {
    result = new_tensor(shape, dtype);
    return mutable_ptr<typename Kernel::Value>(result);
  });
  return result;
}

template <class Kernel, class... Tensors>
Tensor zip_tensors(const char* op, const Kernel& kernel, ScalarType dtype, const Tensors&... tensors) {
  const auto zip = [](const auto&... arguments) { kernels::zip_strings(arguments...); };
  return zip_tensors_by(zip, op, kernel, dtype, tensors...);
}

}  // namespace stringops
