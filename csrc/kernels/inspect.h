// Operators that compute a value of each string (driver/reduce.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/bits.h"
#include "core/string_span.h"
#include "core/utf8.h"
#include "kernels/driver/runner.h"

namespace stringops::kernels {

struct ByteLength {
  using Value = int64_t;
  static constexpr Cost kCost{1.5, 0};

  int64_t operator()(StringView in) const { return in.size(); }
};

// A byte that is not part of a code point counts as one.
struct CodepointLength {
  using Value = int64_t;
  static constexpr Cost kCost{8, 0.2};

  int64_t operator()(StringView in) const {
    int64_t length = 0;
    for (const uint8_t* p = in.begin; p < in.end;) {
      if (in.end - p >= 8) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        if ((word & kBeyondAscii) == 0) {
          length += 8;
          p += 8;
          continue;
        }
      }
      p += *p < 0x80 ? 1 : std::max<int64_t>(long_codepoint(p, in.end), 1);
      ++length;
    }
    return length;
  }

 private:
  static constexpr uint64_t kBeyondAscii = 0x8080808080808080;
};

}  // namespace stringops::kernels
