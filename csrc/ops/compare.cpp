#include "kernels/compare.h"

#include "ops/register.h"

STRINGOPS_ZIP(string_equal, Equal, ScalarType::Bool)
