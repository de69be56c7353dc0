#include "kernels/case.h"

#include "ops/register.h"

STRINGOPS_MAP(string_lower, Lower)
STRINGOPS_MAP(string_upper, Upper)
STRINGOPS_MAP(string_casefold, Casefold)
STRINGOPS_MAP(string_title, Title)
STRINGOPS_MAP(string_capitalize, Capitalize)
STRINGOPS_MAP(string_swapcase, Swapcase)
