// The classes of code points that bound grapheme clusters, as in `tokenizers`. The table is in tables/graphemes.cpp,
// which tools/write_grapheme_tables.py writes.
#pragma once

#include <cstdint>

#include "core/two_stages.h"

namespace stringops::subword {

// Bits of a code point, by the names of Unicode's annex 29. Syllables of Hangul and regional indicators have none:
// their code points say what they are.
enum Break : uint16_t {
  kExtends = 1 << 0,       // Extend, SpacingMark, ZWJ: stays with the one before
  kEmojiExtends = 1 << 1,  // Extend
  kPictographic = 1 << 2,  // Extended_Pictographic
  kPrepends = 1 << 3,      // Prepend
  kControls = 1 << 4,      // Control, CR, LF
  kLeading = 1 << 5,       // L
  kVowel = 1 << 6,         // V
  kTrailing = 1 << 7,      // T
  kConsonant = 1 << 8,     // InCB=Consonant
  kLinker = 1 << 9,        // InCB=Linker
  kConjunct = 1 << 10,     // InCB=Extend or Linker
};

using BreakTable = TwoStages<6, uint8_t, uint16_t>;
extern const BreakTable kBreaks;

}  // namespace stringops::subword
