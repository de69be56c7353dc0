// Prefetches cache lines, for reading unless stated otherwise. Out-of-bounds addresses are allowed.
//
// GCC 12 treats a function that only prefetches as pure, and deletes its calls unless it is inlined early; the empty
// assembly prevents that.
#pragma once

#include <cstdint>

namespace stringops {

inline void prefetch(const void* at) {
  __builtin_prefetch(at);
  asm volatile("");
}

inline void prefetch(uintptr_t at) {
  prefetch(reinterpret_cast<const void*>(at));
}

inline void prefetch_to_write(const void* at) {
  __builtin_prefetch(at, 1);
  asm volatile("");
}

}  // namespace stringops
