// The part of a pattern's automaton that threads share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/char_class.h"
#include "regex/match_rule.h"
#include "regex/one_pass.h"
#include "regex/program.h"
#include "regex/run_sequence.h"
#include "regex/set_steps.h"

namespace stringops {

class Automaton {
 public:
  // Null if the pattern has something that is not supported, or if a text could make a search slow.
  static std::unique_ptr<const Automaton> compile(const Syntax& syntax, MatchRule rule);

  // Whether a match has at most so many code points.
  bool matches_at_most(uint32_t limit) const;

  Automaton(Program compiled, MatchRule match_rule);

  const MatchRule rule;
  const Program program;
  const SetSteps forward, backward;
  std::unique_ptr<const OnePass> one_pass;  // null if the pattern is none, or groups are not needed
  std::optional<RunSequence> sequence;      // if the pattern is one
  // Whether texts are read backward if searches read far in vain. Not needed if all matches are short.
  bool looks_back;
  // For first matches: whether a walk can take the place of the automaton of lists (first_walk.h). If not, all states
  // of that automaton have room in its memory.
  bool walks;
  // Whether a text can be searched from all of its positions at once.
  bool finds_anywhere;
  // Whether a match can be empty, as far as assertions are not looked at.
  bool matches_empty;
  // With what no match that is not empty can begin: characters, those beyond ASCII together.
  CharSet cannot_begin;
  // Whether the edges depend on the code point before them.
  bool looks_before;

 private:
  bool takes_bounded_time();
  bool walks_in_bounded_time() const;
};

}  // namespace stringops
