// Tables of Unicode's general categories, scripts and simple case folding, and of the properties by which UAX 29
// divides text. They are in tables/categories.cpp, which tools/write_regex_tables.py writes, and in
// tables/segments.cpp, which tools/write_segment_tables.py writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/two_stages.h"

namespace stringops {

// A division of all code points into parts with names. An entry is a code point << 8 | the number of the part that has
// it and those after it, up to the next entry; entries are sorted. Part 0 is what has no name.
struct Division {
  const uint32_t* entries;
  size_t num_entries;
  const std::string_view* names;
  size_t num_names;
};

extern const Division kCategories;  // of two letters
extern const Division kScripts;

// The values of Grapheme_Cluster_Break, Indic_Conjunct_Break, Word_Break, Sentence_Break and Extended_Pictographic.
extern const Division kGraphemeBreaks;
extern const Division kConjunctBreaks;
extern const Division kWordBreaks;
extern const Division kSentenceBreaks;
extern const Division kPictographs;

// From each code point to the next one that differs only in case; from the last of those to the first.
struct FoldTable {
  static constexpr int kBits = 6;
  TwoStages<kBits, uint8_t, uint8_t> ids;
  const int32_t* distances;  // of each id; that of id 0 is 0

  uint32_t next(uint32_t codepoint) const { return codepoint + static_cast<uint32_t>(distances[ids[codepoint]]); }
};

extern const FoldTable kFolds;

}  // namespace stringops
