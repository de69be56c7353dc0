// Many regular expressions as one: an alternation, so that strings are read once for all of them.
#pragma once

#include <memory>

#include "core/string_span.h"
#include "regex/pattern.h"

namespace stringops::kernels {

// Returns a pattern that matches wherever one of `patterns` does; null if there are none. Throws std::invalid_argument
// for the first one that does not compile, or if all are too large together.
std::shared_ptr<const Pattern> compile_any(const char* op, const StringSpan& patterns);

}  // namespace stringops::kernels
