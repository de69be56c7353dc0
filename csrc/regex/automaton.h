// The part of a pattern's automaton that threads share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/char_class.h"
#include "regex/edges.h"
#include "regex/match_rule.h"
#include "regex/one_pass.h"
#include "regex/position_automaton.h"
#include "regex/program.h"
#include "regex/set_steps.h"
#include "regex/simple_patterns.h"
#include "simd/primitive_types.h"

namespace stringops {

// An ASCII character of every match; what a match may have before its first one, and as the next bytes.
struct RequiredChar {
  uint8_t c;
  CharSet before;
  std::array<CharSet, 2> after;
};

class Automaton {
 public:
  // Throws std::length_error if the pattern is too large.
  Automaton(const Syntax& syntax, MatchRule match_rule);

  // False for texts that have no match because of their first character or their last one.
  bool may_match_at_edges(const uint8_t* text, int64_t size) const {
    if (matches_empty) return true;
    if (size == 0) return false;
    return !(begins_text && cannot_begin.contains(text[0])) && !(ends_text && cannot_end.contains(text[size - 1]));
  }

  // Bytes that this and a search with it take, about, at most.
  int64_t max_bytes() const;

  const MatchRule rule;
  const Program program;

 private:
  std::vector<Edges> edges_;  // while it is made

 public:
  const SetSteps forward, backward;
  // Whether matches begin only where a text begins, and end only where it ends.
  const bool begins_text, ends_text;
  const std::optional<PositionAutomaton> positions;
  // The first bytes of all matches, if there are few such texts: two or three, or one that is rare.
  const std::optional<simd::PrefixSet> prefixes;
  const std::unique_ptr<const OnePass> one_pass;  // null if the pattern is none, or groups are not needed
  // Whether texts are read backward if searches read far in vain. Not needed if all matches are short.
  const bool looks_back;
  // Whether a match can be empty, as far as assertions are not looked at.
  bool matches_empty = false;
  // With what no match that is not empty can begin, or end: characters, those beyond ASCII together.
  CharSet cannot_begin, cannot_end;
  std::vector<bool> can_begin;  // each class
  const MatchTexts texts;
  std::vector<RequiredChar> required;  // first those that few texts have
  // Whether assertions look at the code point before them.
  const bool looks_before;
};

}  // namespace stringops
