#include "kernels/edit.h"

#include "ops/kinds.h"

STRINGOPS_MAP(string_reverse, Reverse)
