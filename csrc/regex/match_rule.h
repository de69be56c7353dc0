#pragma once

#include <cstdint>

namespace stringops {

// Which of the matches that begin at the leftmost position is taken.
enum class MatchRule : uint8_t {
  kLongest,
  kFirst,  // the one that a backtracking engine finds first, as in Perl and Python
};

}  // namespace stringops
