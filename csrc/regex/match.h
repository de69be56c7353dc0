#pragma once

#include <cstdint>

namespace stringops {

// A range of bytes; {-1, -1}: none.
struct Match {
  int64_t begin;
  int64_t end;
};

}  // namespace stringops
