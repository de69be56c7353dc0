#include "kernels/edit.h"

#include "ops/register.h"

STRINGOPS_MAP(string_reverse, Reverse)
