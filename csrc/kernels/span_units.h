// Changes the positions of spans from bytes to code points.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/string_span.h"
#include "core/utf8.h"
#include "driver/reduce.h"
#include "driver/spans_sink.h"

namespace stringops::kernels {

// A position in one string, in bytes and in code points. Positions that do not decrease take one pass over the string.
class CodepointPosition {
 public:
  explicit CodepointPosition(StringView string) : string_(string) {}

  // -1 stays. Bytes beyond the string are read as its end.
  int64_t of_byte(int64_t byte) {
    if (byte < 0) return byte;
    byte = std::min(byte, string_.size());
    if (byte < byte_) byte_ = codepoint_ = 0;
    codepoint_ += count_codepoints(string_.begin + byte_, string_.begin + byte);
    byte_ = byte;
    return codepoint_;
  }

  Span of_bytes(Span span) {
    const int64_t begin = of_byte(span.begin);
    return {begin, of_byte(span.end)};
  }

 private:
  const StringView string_;
  int64_t byte_ = 0, codepoint_ = 0;
};

// Changes one span of each string.
struct SpanUnit {
  using Value = Span;
  static constexpr Cost kCost{10, 0.1};
  static constexpr bool kRuns = true;

  void run(const StringSpan& in, int64_t first, int64_t last, Span* spans) const {
    for_each_string(in, first, last, [&](int64_t i, ByteRange range) {
      spans[i] = CodepointPosition(in.view(range)).of_bytes(spans[i]);
    });
  }
};

// Changes the spans of ragged rows, which are those of one string each.
struct RaggedSpanUnit {
  using Value = const int64_t;
  static constexpr Cost kCost{10, 0.1};
  static constexpr bool kRuns = true;

  void run(const StringSpan& in, int64_t first, int64_t last, const int64_t* row_splits) const {
    for_each_string(in, first, last, [&](int64_t i, ByteRange range) {
      CodepointPosition position(in.view(range));
      for (int64_t at = row_splits[i]; at < row_splits[i + 1]; ++at) spans[at] = position.of_bytes(spans[at]);
    });
  }

  Span* spans;
};

}  // namespace stringops::kernels
