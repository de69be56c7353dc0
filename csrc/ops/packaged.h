// Registers operators with a kernel in Python, for derivatives (torch_stringops/ops/_packaged.py).
//
// A package of AOTInductor must not enter Python. The kernel would release Python's lock (GIL), another thread would
// take the lock and wait with it for the package, and the call of the package would wait for the lock. So packages call
// stringops::_packaged_<name>, which only has the kernel for the CPU.
#pragma once

#include "ops/register.h"

#define STRINGOPS_PACKAGED(name, function, schema, ...) \
  STRINGOPS_REGISTER("_packaged_" #name, function, schema, __VA_ARGS__)

// Registers stringops::name, and the same kernel for packages.
#define STRINGOPS_DIFFERENTIABLE(name, schema, ...) \
  STRINGOPS_OPERATOR(name, schema, __VA_ARGS__)     \
  STRINGOPS_PACKAGED(name, ::stringops::name, schema, __VA_ARGS__)

// Registers stringops::name.overload in the same way.
#define STRINGOPS_DIFFERENTIABLE_OVERLOAD(name, overload, schema, ...) \
  STRINGOPS_OVERLOAD(name, overload, schema, __VA_ARGS__)              \
  STRINGOPS_REGISTER("_packaged_" #name "." #overload, ::stringops::name##_##overload, schema, __VA_ARGS__)
