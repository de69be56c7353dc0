// Grapheme clusters: what a reader takes for one character, such as a letter and its accents.
#pragma once

#include <cstdint>

#include "core/codepoint.h"
#include "subword/normalize/grapheme_tables.h"

namespace stringops::subword {

// Finds the end of the extended grapheme cluster that begins at p < end, by the rules of Unicode's annex 29 that are
// named in the comments. A byte that is not part of a code point is a character of no class.
const uint8_t* end_of_cluster(const uint8_t* p, const uint8_t* end);

}  // namespace stringops::subword
