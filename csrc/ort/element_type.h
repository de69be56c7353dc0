// The element types that torch and onnxruntime have in common. onnxruntime has no tensors of complex numbers.
#pragma once

#include "host/dtype.h"
#include "ort/abi.h"

namespace stringops::ort {

// Returns null if torch has no such type, as for strings.
const host::DType* dtype_of(ElementType type);

ElementType element_type_of(const host::DType& dtype);

}  // namespace stringops::ort
