// What threads share of a pattern's automaton.
#pragma once

#include <array>
#include <memory>

#include "regex/program.h"
#include "regex/set_steps.h"

namespace stringops {

class Automaton {
 public:
  // Null if the pattern has something that is not supported, or if a text could make a search slow.
  static std::unique_ptr<const Automaton> compile(const Syntax& syntax);

  // Whether a match has at most so many code points.
  bool matches_at_most(uint32_t limit) const;

  explicit Automaton(Program compiled);

  const Program program;
  const SetSteps forward, backward;
  // Whether texts are read backward if searches read far in vain. Not needed if all matches are short.
  bool looks_back;
  // Whether a match can be empty, as far as assertions are not looked at.
  bool matches_empty;
  // Of ASCII characters, and of lead bytes together: whether a match that is not empty can begin with it.
  std::array<bool, 256> can_begin;
};

}  // namespace stringops
