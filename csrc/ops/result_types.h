// The dtypes of the results of operators that return no strings, which onnxruntime needs when it loads a model.
#pragma once

#include "ops/check.h"

namespace stringops {

struct ResultTypes {
  const char* schema;  // with the name
  // A word for each result: its dtype, or `any` if it depends on the arguments. For a list of tensors, one word: their
  // dtype, `any`, or `mixed` if they have several.
  const char* types;
  const ResultTypes* next;
};

// The list of all operators', which grows while the library loads. It has no constructor, which might run too late.
inline const ResultTypes* first_result_types = nullptr;

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
