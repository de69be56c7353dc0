// Copying one short string exactly: the call to memcpy costs more than the bytes of a token.
#pragma once

#include <cstdint>
#include <cstring>

namespace stringops::convert {

// Copies n bytes, and touches no other. Two overlapping words cover any length between one word and two.
inline void copy_exact(uint8_t* to, const void* from, int64_t n) {
  const char* const source = static_cast<const char*>(from);
  const auto two = [&](auto word) {
    decltype(word) last;
    std::memcpy(&word, source, sizeof word);
    std::memcpy(&last, source + n - sizeof word, sizeof word);
    std::memcpy(to, &word, sizeof word);
    std::memcpy(to + n - sizeof word, &last, sizeof word);
  };
  struct Pair {
    uint64_t low, high;
  };
  if (n > 32) {
    std::memcpy(to, source, static_cast<size_t>(n));
  } else if (n >= 16) {
    two(Pair{});
  } else if (n >= 8) {
    two(uint64_t{});
  } else if (n >= 4) {
    two(uint32_t{});
  } else if (n >= 2) {
    two(uint16_t{});
  } else if (n == 1) {
    std::memcpy(to, source, 1);
  }
}

}  // namespace stringops::convert
