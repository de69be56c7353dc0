// The operators that the objects of csrc/ops register when the library is loaded.
#pragma once

#include <torch/csrc/inductor/aoti_torch/c/shim.h>

namespace stringops::host {

using BoxedKernel = void (*)(StableIValue* stack, uint64_t num_arguments, uint64_t num_results);

// Calls visit(schema, kernel) for each operator. A schema is the text that torch parses, without namespace.
void for_each_operator(void (*visit)(const char* schema, BoxedKernel kernel, void* context), void* context);

}  // namespace stringops::host
