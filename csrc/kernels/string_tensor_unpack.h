// StringTensorUnpack: where each string begins and ends once the strings stand one after the other, and those bytes.
//
// Two passes, as every kernel that makes strings. Work is cut at strings, not at rows, so that one long row is shared
// among tasks; strings of one row touch each other, so a row is measured, and copied, in one piece. No torch here.
#pragma once

#include <cstdint>

#include "core/string_span.h"

namespace stringops::kernels {

// The bytes of strings [first, last), in row-major order.
int64_t measure_unpack(const StringSpan& in, int64_t first, int64_t last);

// begins and ends have one element a string; symbols takes the bytes, or is null where they stand in that order
// already.
struct UnpackOutput {
  int32_t* begins;
  int32_t* ends;
  uint8_t* symbols;
};

// Writes strings [first, last), whose bytes go to [base, limit) of the symbols. Writes nothing beyond `limit` even
// where the offsets have grown since they were measured; returns false where they have changed.
bool write_unpack(const StringSpan& in, int64_t first, int64_t last, const UnpackOutput& out, int64_t base,
                  int64_t limit);

}  // namespace stringops::kernels
