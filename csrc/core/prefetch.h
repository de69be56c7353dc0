// Prefetching of cache lines, for reading unless stated otherwise. Addresses out of bounds are no errors.
//
// GCC 12 takes a function that does nothing but call __builtin_prefetch for one without effect, and removes its calls
// where it is not inlined early. The empty assembly has an effect.
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
