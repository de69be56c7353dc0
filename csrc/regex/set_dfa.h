// A deterministic automaton, whose states are sets of a program's nodes, built as far as texts need it.
//
// A transition is a number: twice the row of the state after it in the table, and 1 if the text matches before the code
// point that is read (which assertions may look at). The rows of states have a column for each class.
//
// If the states fill their memory, they are all removed, and the building begins again with the current one. As a state
// is built in bounded time, a text that needs a new one for each code point is slow, but not much slower.
#pragma once

#include <cstdint>
#include <vector>

#include "regex/set_steps.h"

namespace stringops {

class SetDfa {
 public:
  using Transition = uint32_t;

  // If `begins_anywhere`, paths begin at each code point, else at the first one.
  SetDfa(const Program& program, const SetSteps& steps, bool begins_anywhere);

  // The state before the first code point, in a context: the kind of the code point before it (backward: after it).
  Transition start(uint8_t kind);

  static bool matches(Transition t) { return t & 1; }
  // The state has no path to the goal, or the transition is not known.
  bool is_special(Transition t) const { return t < first_ordinary_; }
  static bool is_dead(Transition t) { return t <= 1; }

  // Of a code point of class c: known() may be special, next() may only be dead.
  Transition known(Transition t, uint32_t c) const { return table_[(t >> 1) + c]; }
  Transition next(Transition t, uint32_t c) {
    const Transition after = known(t, c);
    return is_special(after) && !is_dead(after) ? build(t, c) : after;
  }
  // The nodes of the state, as a set; whether it has some of `others`.
  void copy_nodes(Transition t, uint64_t* out) const;
  bool has_some(Transition t, const uint64_t* others) const;
  uint8_t kind(Transition t) const { return kinds_[row(t)]; }
  uint64_t hash(Transition t) const { return hashes_[row(t)]; }
  // The state of such nodes.
  Transition find(const uint64_t* nodes, uint8_t kind);

  // Whether all states that a text can reach have room in the memory, and are found by `max_work`: operations on words,
  // about.
  bool build_all(int64_t max_work);

 private:
  bool is_compact() const { return num_words_ > kMaxPlainWords; }
  size_t num_states() const { return hashes_.size(); }
  Transition of_row(size_t row) const { return static_cast<Transition>(2 * row * stride_); }
  size_t row(Transition t) const { return (t >> 1) / stride_; }
  Transition build(Transition t, uint32_t c);
  void clear();

  static constexpr size_t kMaxPlainWords = 16;

  const Program& program_;
  const SetSteps& steps_;
  const bool begins_anywhere_;
  const bool forward_;
  const size_t num_words_;
  const uint32_t stride_;
  Transition first_ordinary_;
  std::vector<Transition> table_;
  // The set of each row: its words, or, if it would have many, the number of each word that is not 0, and the word.
  std::vector<uint64_t> sets_;
  std::vector<size_t> set_ends_;
  std::vector<uint64_t> hashes_;
  std::vector<uint8_t> kinds_;
  std::vector<uint32_t> slots_;  // a hash table of rows
  std::vector<Transition> starts_;
  std::vector<uint64_t> current_, after_, key_;
};

}  // namespace stringops
