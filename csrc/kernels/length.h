// The length of each string, in bytes, in code points or in columns of a terminal (driver/reduce.h).
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "driver/runner.h"
#include "split/codepoint_lengths.h"

namespace stringops::kernels {

struct ByteLength {
  using Value = int64_t;
  static constexpr Cost kCost{1.5, 0};
  static constexpr bool kRuns = false;

  int64_t operator()(StringView in) const { return in.size(); }
};

// Writes the sizes of all strings in bytes, from offsets that are not validated. Returns false, and leaves some of
// `out` unwritten, if these are not in order within the data.
bool write_byte_lengths(const StringRows& in, int64_t* out);

// A byte that is not part of a code point counts as one.
struct CodepointLength {
  using Value = int64_t;
  static constexpr Cost kCost{4, 0.15};
  static constexpr bool kRuns = true;

  int64_t operator()(StringView in) const { return length_in_codepoints(in); }
  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const;
};

// The number of columns, as wcswidth of the Python package wcwidth counts them; -1 if there is a control character. A
// byte that is not part of a code point takes one column.
struct Width {
  using Value = int64_t;
  static constexpr Cost kCost{5, 0.5};
  static constexpr bool kRuns = false;

  int64_t operator()(StringView in) const;
};

}  // namespace stringops::kernels
