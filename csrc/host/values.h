// Lists and strings of torch's stable ABI, by which attributes reach an operator.
#pragma once

#include <torch/csrc/stable/c/shim.h>
#include <torch/csrc/stable/stableivalue_conversions.h>

#include <string>
#include <vector>

// torch's names for the types behind the handles. Operators delete the lists that they get, except for shared ones.
struct StableListOpaque {
  std::vector<StableIValue> items;
  bool is_shared = false;  // belongs to a kernel object, as all strings do
};

struct StringOpaque {
  std::string text;
};

namespace stringops::host {

// Return a number or a handle as it is on torch's stack, and back.
template <class T>
StableIValue box(T value) {
  return torch::stable::detail::from(value);
}

template <class T>
T unbox(StableIValue value) {
  return torch::stable::detail::to<T>(value);
}

}  // namespace stringops::host
