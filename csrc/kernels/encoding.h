// Strings as UTF-8: whether they are valid, their repair, their code points and their bytes.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "driver/map.h"
#include "driver/runner.h"
#include "kernels/length.h"

namespace stringops::kernels {

// Whether the bytes of each string are valid UTF-8 (driver/reduce.h).
struct IsUtf8 {
  using Value = bool;
  static constexpr Cost kCost{3, 0.1};
  static constexpr bool kRuns = false;

  bool operator()(StringView in) const;
};

// Invalid bytes replaced by U+FFFD, or left out, as bytes.decode("utf-8", errors) does (driver/map.h). A
// U+FFFD replaces the longest run of bytes that begins a valid code point, or else one byte.
struct Repair {
  using Driver = StringMap;
  static constexpr Cost kCost{10, 0.2};
  bool replaces;

  int64_t size(StringView in) const;
  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const;
};

// The code points of each string (driver/values.h). That of a byte that is not part of one is U+FFFD.
struct Codepoints {
  using Value = int32_t;
  using Length = CodepointLength;
  static constexpr Cost kCost{5, 1};

  bool write(const StringSpan& in, int64_t first, int64_t last, int32_t* out, int32_t* out_end) const;
};

struct ByteValues {
  using Value = uint8_t;
  using Length = ByteLength;
  static constexpr Cost kCost{2, 0.1};

  bool write(const StringSpan& in, int64_t first, int64_t last, uint8_t* out, uint8_t* out_end) const;
};

}  // namespace stringops::kernels
