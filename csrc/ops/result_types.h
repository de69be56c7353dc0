// The dtypes of the results of operators that return no strings, which onnxruntime needs when it loads a model.
#pragma once

#include <vector>

#include "ops/check.h"

namespace stringops {

struct ResultTypes {
  const char* schema;  // with the name
  // A word for each result: its dtype, or `any` if it depends on the arguments. For a list of tensors, one word: their
  // dtype, `any`, or `mixed` if they have several.
  const char* types;
};

// All operators', while the library loads and after it.
inline std::vector<ResultTypes>& result_types() {
  static std::vector<ResultTypes> all;
  return all;
}

// The types in the macros of register.h: none, a text, or one dtype.
inline const char* types_text() {
  return nullptr;
}
inline const char* types_text(const char* types) {
  return types;
}
inline const char* types_text(ScalarType dtype) {
  return dtype_text(dtype);
}

}  // namespace stringops
