// Properties of matches that a syntax tree tells without an engine: whether the pattern is a set or a literal, and how
// the matches of others begin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/char_class.h"
#include "regex/syntax.h"

namespace stringops {

struct SetPattern {
  CharSet set;
  bool repeated;  // "+": a run of them; otherwise one
};

// The ASCII characters of the set.
CharSet ascii_chars(const CodepointSet& set);

// The set as one of ASCII characters, with all others or without any. Nothing if it is another.
std::optional<CharSet> char_set(const CodepointSet& set);

// Whether a character is in both sets.
bool intersect(const CharSet& a, const CharSet& b);

// The only character of the set, which is ASCII; nothing if it has others.
std::optional<uint8_t> only_char(const CharSet& set);

// Without groups around all of it, which capture what the pattern matches.
const Node& without_groups(const Node& root);

// Whether all groups are around all of the pattern.
bool captures_all(const Syntax& syntax);

// The pattern as a set, or a run of one. Groups capture the whole match.
std::optional<SetPattern> set_pattern(const Syntax& syntax);

// The set of a pattern that matches one of its code points, or a run of them, whatever groups capture.
std::optional<CodepointSet> separator_set(const Syntax& syntax);

// The text that the pattern matches, if it is one text and not empty. Groups capture the whole match. If `folded`, a
// text stands for all those that differ from it only in case, and not for itself alone.
std::optional<std::string> literal_pattern(const Syntax& syntax, bool folded = false);

// Texts that every match has: the one with which it begins, after assertions, and the longest one. They may be empty.
struct MatchTexts {
  std::string first, longest;
  CharSet chars;  // all ASCII characters of the texts that every match has
};

MatchTexts match_texts(const Node& root, bool folded = false);

// Whether few texts have the first character, compared with the other one.
bool is_rarer(uint8_t c, uint8_t other);

}  // namespace stringops
