// A DFA whose states are lists of nodes, those of preferred paths first, as the threads of Pike's simulation. After a
// match, only the paths that are preferred to it go on: the last match on the way is that of a backtracking engine.
#pragma once

#include <cstdint>

#include "regex/closure.h"
#include "regex/lazy_dfa.h"

namespace stringops {

class FirstDfa final : public LazyDfa {
 public:
  // If `begins_anywhere`, paths begin at each code point until one matches, those that begin earlier preferred.
  FirstDfa(const Program& program, bool begins_anywhere);

  bool has_some(Transition t, const uint64_t* nodes) const override;

  // A state can take as long to build as the pattern has instructions, and a text can need a new one for each of its
  // code points. So building takes from a budget, to which each text adds.
  void add_budget(int64_t num_bytes);

 private:
  void set_start() override;
  Transition build(Transition t, uint32_t c) override;

  const bool begins_anywhere_;
  Closure closure_;
};

}  // namespace stringops
