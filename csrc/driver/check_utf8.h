// Driver that rejects strings that are not valid UTF-8.
#pragma once

#include "core/string_span.h"
#include "driver/runner.h"

namespace stringops::kernels {

// Throws the error for the first byte of `in` that is not part of a code point.
void check_utf8(const char* op, const Runner& runner, const StringSpan& in);

}  // namespace stringops::kernels
