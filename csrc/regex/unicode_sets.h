// Unicode's general categories, scripts, case and properties of breaks, as sets of code points.
#pragma once

#include <optional>
#include <string_view>

#include "core/codepoint_set.h"

namespace stringops {

// Returns the code points of \p{name}: of a general category, of one or two letters, of a script, or Any; of a property
// by which UAX 29 divides text, as in Word_Break=ALetter, or Extended_Pictographic. Returns nothing if there is no such
// name. Takes some microseconds.
std::optional<CodepointSet> unicode_set(std::string_view name);

// Returns the code points that differ only in case from one of `set`, by Unicode's simple case folding; members of
// `set` may be among them.
CodepointSet case_variants(const CodepointSet& set);

}  // namespace stringops
