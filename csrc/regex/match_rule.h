#pragma once

#include <cstdint>

namespace stringops {

// The choice among the matches that begin at the leftmost position.
enum class MatchRule : uint8_t {
  kLongest,
  kFirst,  // the one that a backtracking engine finds first, as in Perl and Python
};

}  // namespace stringops
