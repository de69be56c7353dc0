// Reverses the code points of texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/codepoint.h"
#include "core/copy_bytes.h"

namespace stringops {

// Writes the code points that begin within the first `n` bytes of a text, in reverse order, before `to`. Returns how
// many bytes they have.
inline int64_t reverse_some(const uint8_t* text, const uint8_t* end, int64_t n, uint8_t* to) {
  const uint8_t *p = text, *const stop = text + n;
  while (p < stop) {
    uint64_t word = ~uint64_t{0};
    if (stop - p >= 8) std::memcpy(&word, p, 8);
    if ((word & 0x8080808080808080) == 0) {
      word = __builtin_bswap64(word);
      std::memcpy(to -= 8, &word, 8);
      p += 8;
      continue;
    }
    if (*p < 0x80) {
      *--to = *p++;
      continue;
    }
    const int64_t length = std::max<int64_t>(long_codepoint(p, end), 1);
    if (end - p >= kMaxCodepointBytes) {
      // The last ones of these four bytes are those of the code point; later stores overwrite the others.
      uint32_t bytes;
      std::memcpy(&bytes, p, sizeof bytes);
      bytes <<= 8 * (kMaxCodepointBytes - length);
      std::memcpy(to - kMaxCodepointBytes, &bytes, sizeof bytes);
    } else {
      copy_bytes(to - length, p, length);
    }
    to -= length;
    p += length;
  }
  return p - text;
}

// Writes the code points of each string in reverse order, at the place of the string in `out`. String i is the bytes
// from ends[i - 1], or 0, to ends[i]. A byte that is not part of a code point counts as one.
inline void reverse_strings(const uint8_t* data, const int32_t* ends, int64_t count, uint8_t* out) {
  for (int64_t i = 0, begin = 0; i < count; ++i) {
    const int64_t end = ends[i];
    reverse_some(data + begin, data + end, end - begin, out + end);
    begin = end;
  }
}

}  // namespace stringops
