// Driver that rejects strings that are not valid UTF-8.
#pragma once

#include <optional>

#include "core/string_span.h"
#include "driver/runner.h"
#include "split/partition.h"

namespace stringops::kernels {

// Returns the first byte from `begin` to `end` that is not part of a code point.
std::optional<Position> find_invalid(const StringSpan& in, Position begin, Position end);

// Throws the error for such a byte, if there is one.
void check_utf8(const char* op, const std::optional<Position>& invalid);

// Throws the error for the first byte of `in` that is not part of a code point.
void check_utf8(const char* op, const Runner& runner, const StringSpan& in);

}  // namespace stringops::kernels
