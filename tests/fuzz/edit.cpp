#include "kernels/edit.h"

#include "map.h"

namespace stringops::fuzz {

FUZZ_MAP(string_reverse, kernels::Reverse)

}  // namespace stringops::fuzz
