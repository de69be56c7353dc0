// A DFA whose states are sets of nodes: of all paths, whichever is preferred.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/poll.h"
#include "regex/closure.h"
#include "regex/lazy_dfa.h"
#include "regex/set_steps.h"

namespace stringops {

class SetDfa final : public LazyDfa {
 public:
  // If `begins_anywhere`, paths begin at each code point, else at the first one. If `by_closure`, which is for tests,
  // no steps are operations on words.
  SetDfa(const Program& program, const SetSteps& steps, bool begins_anywhere, bool by_closure);

  // The nodes of the state, as a set.
  void copy_nodes(Transition t, uint64_t* out) const;
  bool has_some(Transition t, const uint64_t* nodes) const override;
  // The state of such nodes.
  Transition find(const uint64_t* nodes, uint16_t kind);

 private:
  void set_start() override;
  Transition build(Transition t, uint32_t c) override;
  bool step(uint32_t context, uint32_t c);
  std::optional<bool> step_by_closure(uint32_t context, uint32_t c, int64_t limit);

  // The key of a set is its words, or, if it would have many, the number of each word that is not 0, and the word.
  bool is_compact() const { return num_words_ > kMaxPlainWords; }
  void make_key(const uint64_t* nodes);

  static constexpr size_t kMaxPlainWords = 16;

  const SetSteps& steps_;
  const bool begins_anywhere_;
  const size_t num_words_;
  const int64_t words_cost_;
  std::optional<Closure> closure_;  // of programs for which it can be faster
  std::vector<uint64_t> current_, after_;
  Pace pace_;
};

}  // namespace stringops
