// Operators that edit each string (driver/map.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/string_span.h"
#include "driver/runner.h"

namespace stringops::kernels {

// The code points in reverse order. A byte that is not part of a code point counts as one.
struct Reverse {
  static constexpr Cost kCost{10, 0.2};
  static constexpr bool kSameSize = true;

  void write(StringView in, uint8_t* out) const {
    uint8_t* to = out + in.size();
    for (const uint8_t* p = in.begin; p < in.end;) {
      uint64_t word = ~uint64_t{0};
      if (in.end - p >= 8) std::memcpy(&word, p, 8);
      if ((word & kBeyondAscii) == 0) {
        word = __builtin_bswap64(word);
        std::memcpy(to -= 8, &word, 8);
        p += 8;
        continue;
      }
      if (*p < 0x80) {
        *--to = *p++;
        continue;
      }
      const int64_t length = std::max<int64_t>(long_codepoint(p, in.end), 1);
      if (in.end - p >= kMaxCodepointBytes) {
        // Four bytes of which the last ones are those of the code point; the others are written later.
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
  }

 private:
  static constexpr uint64_t kBeyondAscii = 0x8080808080808080;
};

}  // namespace stringops::kernels
