// Copying many short byte strings: memcpy's call and branches cost more than the bytes of a word.
#pragma once

#include <cstdint>
#include <cstring>

namespace stringops {

// Copies n bytes. May read up to src_end and write up to dst_end, beyond n; what lies there must be free to overwrite
// (the destination is filled from left to right). Never touches a byte at or past either end.
inline void copy_short(uint8_t* dst, const uint8_t* dst_end, const uint8_t* src, const uint8_t* src_end, int64_t n) {
  constexpr int64_t kStep = 32;
  if (n > 4 * kStep || dst_end - dst < n + kStep || src_end - src < n + kStep) {
    if (n > 0) std::memcpy(dst, src, static_cast<size_t>(n));
    return;
  }
  for (int64_t i = 0; i < n; i += kStep) std::memcpy(dst + i, src + i, kStep);
}

}  // namespace stringops
