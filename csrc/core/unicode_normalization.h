// Data of code points for the normalization forms of Unicode (UAX #15). The tables are in tables/normalization.cpp,
// which tools/write_normalization_tables.py writes.
#pragma once

#include <cstdint>

#include "core/two_stages.h"

namespace stringops::normalization {

// The low eight bits are the canonical combining class. The other bits tell whether the code point may change in a
// form, by itself or after others (its quick check is not "yes"), and whether it is a nonspacing mark (general category
// Mn).
enum Flag : uint16_t {
  kClass = 0xFF,
  kNotNfc = 1 << 8,
  kNotNfd = 1 << 9,
  kNotNfkc = 1 << 10,
  kNotNfkd = 1 << 11,
  kNonspacing = 1 << 12,
};

using NormalizationFlagTable = TwoStages<6, uint8_t, uint16_t>;
extern const NormalizationFlagTable kNormalizationFlags;

// A list is a number n and n items in kLists, at the position in the table; an empty list has position 0.
using ListTable = TwoStages<6, uint8_t, uint16_t>;
extern const uint32_t kLists[];

// The complete decomposition of a code point, in canonical order; an empty list if it has none. Syllables of Hangul are
// not in the tables.
extern const ListTable kCanonical, kCompatibility;

// Sorted pairs of a second code point and the composition of this code point with it.
extern const ListTable kCompositions;

}  // namespace stringops::normalization
