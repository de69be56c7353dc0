// Unicode's categories, scripts and case, as RE2 knows them: its tables are those of the release that is linked, so it
// is asked for them. That takes milliseconds, once for each name and process.
#pragma once

#include <optional>
#include <string_view>

#include "regex/codepoint_set.h"

namespace stringops {

// The code points of \p{name}. Nothing if RE2 does not know the name.
std::optional<CodepointSet> unicode_set(std::string_view name);

// The code points that differ only in case from one of `set`; members of `set` may be among them.
CodepointSet case_variants(const CodepointSet& set);

}  // namespace stringops
