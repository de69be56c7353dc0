// Registers operators: a macro takes the operator's name once.
#pragma once

#include <exception>
#include <string_view>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/result_types.h"
#include "ops/stable_abi.h"

#define STRINGOPS_REGISTER(name, function, schema, ...)                        \
  STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {                                \
    using ::stringops::ScalarType;                                             \
    ::stringops::define(m, name schema, ::stringops::types_text(__VA_ARGS__)); \
  }                                                                            \
  STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {                               \
    m.impl(name, STRINGOPS_BOX(&function, name schema));                       \
  }

// Registers stringops::name. `schema` is the part after the name: "(Tensor data, Tensor offsets) -> Tensor". Unless the
// first results are data and offsets of strings, the dtypes of the results follow (result_types.h).
#define STRINGOPS_OPERATOR(name, schema, ...) STRINGOPS_REGISTER(#name, ::stringops::name, schema, __VA_ARGS__)

// Registers stringops::name_overload.
#define STRINGOPS_OVERLOAD(name, overload, schema, ...) \
  STRINGOPS_REGISTER(#name "." #overload, ::stringops::name##_##overload, schema, __VA_ARGS__)

namespace stringops {

// Defines an operator while the library loads. An error ends the process, as no one can catch it.
template <class Library>
void define(Library& library, const char* schema, const char* types) {
  if (types) first_result_types = new ResultTypes{schema, types, first_result_types};
  try {
    library.def(schema);
  } catch (const std::exception&) {
    fail("torch_stringops: expected one copy of _ops.so in a process, but another one has defined stringops::",
         std::string_view(schema).substr(0, std::string_view(schema).find('(')));
  }
}

}  // namespace stringops
