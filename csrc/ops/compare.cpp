#include "kernels/compare.h"

#include "ops/register.h"

STRINGOPS_ZIP(string_equal, Equal, ScalarType::Bool)
STRINGOPS_ZIP(string_less, Less, ScalarType::Bool)
STRINGOPS_ZIP(string_less_equal, LessEqual, ScalarType::Bool)
STRINGOPS_ZIP(string_greater, Greater, ScalarType::Bool)
STRINGOPS_ZIP(string_greater_equal, GreaterEqual, ScalarType::Bool)
