#include "kernels/case.h"

#include "map.h"

namespace stringops::fuzz {

FUZZ_MAP(string_lower, kernels::Lower)
FUZZ_MAP(string_upper, kernels::Upper)
FUZZ_MAP(string_casefold, kernels::Casefold)
FUZZ_MAP(_string_simple_fold, kernels::SimpleFold)
FUZZ_MAP(string_title, kernels::Title)
FUZZ_MAP(string_capitalize, kernels::Capitalize)
FUZZ_MAP(string_swapcase, kernels::Swapcase)

}  // namespace stringops::fuzz
