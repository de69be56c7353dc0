// Classes of code points that pre-tokenizers split text by, as the reference has them (tools/write_subword_tables.py
// writes tables/subword_classes.cpp and names the version).
#pragma once

#include <cstdint>

#include "core/codepoint.h"
#include "core/two_stages.h"

namespace stringops::subword {

// Bits of a code point. A byte that is not part of one has none of them, and so belongs to "the rest" of each rule.
enum Class : uint16_t {
  kLetter = 1 << 0,   // \p{L}
  kNumber = 1 << 1,   // \p{N}
  kSpace = 1 << 2,    // \s
  kMark = 1 << 3,     // \p{M}
  kUpper = 1 << 4,    // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
  kLower = 1 << 5,    // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
  kPunct = 1 << 6,    // \p{P}
  kSymbol = 1 << 7,   // \p{S}
  kWord = 1 << 8,     // \w of Rust's regex crate
  kNumeric = 1 << 9,  // char::is_numeric of Rust
  kNewer = 1 << 10,   // the reference's normalization does not know it: it stays, and nothing composes with it
  kNumClassSets = 1 << 11,
};

using CharacterTable = TwoStages<6, uint16_t, uint16_t>;
extern const CharacterTable kClasses;

struct Character {
  uint32_t codepoint;  // kInvalidByte: not part of a code point
  uint16_t classes;
  uint8_t length;

  bool is(int of) const { return (classes & of) != 0; }
};

// The character that begins at p < end.
inline Character read_character(const uint8_t* p, const uint8_t* end) {
  const Codepoint c = read_codepoint(p, end);
  return {c.value, kClasses[c.value], static_cast<uint8_t>(c.length)};
}

// The character that ends at p > begin.
inline Character read_character_before(const uint8_t* begin, const uint8_t* p) {
  const Codepoint c = read_codepoint_before(begin, p);
  return {c.value, kClasses[c.value], static_cast<uint8_t>(c.length)};
}

}  // namespace stringops::subword
