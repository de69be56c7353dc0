// The stack of the calling thread, of which some threads have little (in platform.cpp).
#pragma once

#include <cstdint>

namespace stringops {

// Returns the number of bytes of the stack below the frame of the caller, or INT64_MAX if it is unknown.
int64_t stack_left();

}  // namespace stringops
