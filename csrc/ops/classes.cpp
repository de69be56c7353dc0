#include "kernels/classes.h"

#include "ops/kinds.h"

STRINGOPS_REDUCE(string_is_alpha, IsAlpha, ScalarType::Bool)
STRINGOPS_REDUCE(string_is_digit, IsDigit, ScalarType::Bool)
STRINGOPS_REDUCE(string_is_space, IsSpace, ScalarType::Bool)
STRINGOPS_REDUCE(string_is_upper, IsUpper, ScalarType::Bool)
STRINGOPS_REDUCE(string_is_lower, IsLower, ScalarType::Bool)
STRINGOPS_REDUCE(string_is_alnum, IsAlnum, ScalarType::Bool)
STRINGOPS_REDUCE(string_is_ascii, IsAscii, ScalarType::Bool)
