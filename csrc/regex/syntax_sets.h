// Parts of the parser of patterns: what matches one code point, and flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "regex/codepoint_set.h"

namespace stringops {

// The rest of a pattern, which is valid UTF-8. Functions that take something do not change the text if it does not
// begin with that.
struct SyntaxText {
  std::string_view rest;

  bool take(std::string_view prefix);
  uint32_t take_codepoint();             // of a text that is not empty
  std::optional<int32_t> take_number();  // decimal, without leading zeros, below 10**9
};

struct SyntaxFlags {
  bool fold_case = false;    // i
  bool multi_line = false;   // m: ^ and $ hold at lines
  bool dot_newline = false;  // s: . matches "\n"
  bool swap_greed = false;   // U: x* prefers fewer, x*? more

  // The letters in (?i-s). Returns false if one is unknown.
  bool take(SyntaxText* text);
};

// A character, as itself or escaped: \n, \., \x41, \x{41}, \101.
std::optional<uint32_t> take_character(SyntaxText* text);

// \d \w \s \pN \p{Greek} \p{^Greek} and their complements \D \W \S \P.
std::optional<CodepointSet> take_escape_class(SyntaxText* text, bool fold_case);

// [...] or [^...].
std::optional<CodepointSet> take_bracket_class(SyntaxText* text, bool fold_case);

}  // namespace stringops
