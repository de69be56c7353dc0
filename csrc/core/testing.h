// Support for tests inside the library: small blocks in fuzzing builds (STRINGOPS_FUZZING), so that short inputs reach
// the end of a block, and the declaration of functions that tests call by name.
#pragma once

#include <cstdint>

namespace stringops {

#ifdef STRINGOPS_FUZZING
constexpr bool kFuzzing = true;
#else
constexpr bool kFuzzing = false;
#endif

// A block size or a limit: `usual`, or `fuzzing` in fuzzing builds. Results must not depend on it.
constexpr int64_t block_size(int64_t usual, int64_t fuzzing) {
  return kFuzzing ? fuzzing : usual;
}

}  // namespace stringops

// Begins the declaration of a function that the library exports for tests and tools.
#define STRINGOPS_TEST_HOOK extern "C" __attribute__((visibility("default")))
