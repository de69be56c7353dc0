// Classes and case mappings of code points, as in Python's `str`. The tables are in tables/case.cpp, which
// tools/write_unicode_tables.py writes.
#pragma once

#include <cstdint>

#include "core/testing.h"
#include "core/two_stages.h"

namespace stringops {

extern const char kUnicodeVersion[];

// The results of Python's str.isalpha, isalnum, isdigit, isspace, isupper and islower for a string of one code point;
// whether it is a title-case letter (general category Lt); and whether it is ignored between the letters of a word and
// a final sigma (Case_Ignorable).
enum CodepointFlag : uint8_t {
  kAlpha = 1,
  kAlnum = 2,
  kDigit = 4,
  kSpace = 8,
  kUpper = 16,
  kLower = 32,
  kTitle = 64,
  kCaseIgnorable = 128,
  kCased = kUpper | kLower | kTitle,
};

using FlagTable = TwoStages<7, uint8_t, uint8_t>;
extern const FlagTable kFlags;

struct ShortText {
  uint8_t size;
  uint8_t bytes[7];
};

// The result of a mapping: the code point plus a number, or, for ids from `first_text` on, a text of several code
// points. Id 0 is that of code points that do not change.
struct CaseTable {
  TwoStages<6, uint8_t, uint8_t> ids;
  const int32_t* deltas;
  const ShortText* texts;
  uint32_t first_text;
};

// The full mappings, without those that depend on a language or on other characters (the final sigma).
extern const CaseTable kToLower, kToUpper, kToTitle, kToFolded;

}  // namespace stringops

STRINGOPS_TEST_HOOK const char* stringops_unicode_version();
