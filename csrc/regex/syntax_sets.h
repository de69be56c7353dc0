// Parts of the parser of patterns: what matches one code point, and flags.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/codepoint_set.h"
#include "regex/syntax.h"

namespace stringops {

// The rest of a pattern, which is valid UTF-8. Functions that take something do not change the text if it does not
// begin with that.
struct SyntaxText {
  std::string_view rest;

  bool take(std::string_view prefix);
  uint32_t take_codepoint();             // of a text that is not empty
  std::optional<int32_t> take_number();  // decimal, without leading zeros, below 10**9
  // Returns what has been taken since the rest was `begin`; of more than 80 bytes only the first ones.
  std::string taken_since(std::string_view begin) const;
};

// Thrown by the parser. The fault is where `place`, a rest of the pattern, begins.
struct SyntaxFaultAt {
  std::string_view place;
  std::string what, cure;
};

struct SyntaxFlags {
  bool fold_case = false;    // i
  bool multi_line = false;   // m: ^ and $ hold at lines
  bool dot_newline = false;  // s: . matches "\n"
  bool swap_greed = false;   // U: x* prefers fewer, x*? more

  // Takes the letters in (?i-s), up to ":" or ")".
  void take(SyntaxText* text);
};

// Takes a character, as itself or escaped: \n, \., \x41, \x{41}, \101.
uint32_t take_character(SyntaxText* text);

// Parses the classes of one pattern.
class ClassParser {
 public:
  // Takes \d \w \s \pN \p{Greek} \p{^Greek} or their complements \D \W \S \P. Returns nothing if the text begins with
  // something else.
  std::optional<CodepointSet> take_escape_class(SyntaxText* text, bool fold_case);

  // Takes [...] or [^...].
  CodepointSet take_bracket_class(SyntaxText* text, bool fold_case);

 private:
  // Takes the name after "\p" or "\P", which is at `begin`.
  CodepointSet take_unicode_class(const SyntaxText& begin, SyntaxText* text, bool negated, bool fold_case);

  // Unicode's classes by name, whether they are negated, and whether case is folded: patterns repeat them.
  std::map<std::tuple<std::string_view, bool, bool>, CodepointSet> known_;
};

struct Repetition {
  int32_t min = 1, max = 1;  // max < 0: without limit
  bool greedy = true, possessive = false;
};

Node make_set(CodepointSet set);
Node make_concat(std::vector<Node> items);
Node make_alternate(std::vector<Node> alternatives);
Node make_repeat(Node item, Repetition repeat);
Node make_group(Node item, int32_t index);

}  // namespace stringops
