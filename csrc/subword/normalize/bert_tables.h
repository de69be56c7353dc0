// The actions of normalizers and BERT's pre-tokenizer on each code point. The tables are in tables/bert.cpp, which
// tools/write_bert_tables.py writes.
#pragma once

#include <cstdint>

#include "core/two_stages.h"

namespace stringops::subword::bert {

enum Flag : uint8_t {
  kDropped = 1 << 0,      // by clean_text
  kCleaned = 1 << 1,      // to a space, by clean_text
  kSpace = 1 << 2,        // is not part of a word
  kPunctuation = 1 << 3,  // is a word of its own
  kAccent = 1 << 4,       // dropped by strip_accents of BERT's normalizer
  kMark = 1 << 5,         // dropped by StripAccents
  kNmtDropped = 1 << 6,   // by Nmt
  kNmtSpace = 1 << 7,     // becomes a space by Nmt
};

using FlagTable = TwoStages<6, uint8_t, uint8_t>;
extern const FlagTable kFlags;

// Positions in kLists of a number n and n code points; that of an empty list is 0.
using ListTable = TwoStages<6, uint8_t, uint16_t>;
extern const uint32_t kLists[];

// The lower case of the code points that have one.
extern const ListTable kLower;

}  // namespace stringops::subword::bert
