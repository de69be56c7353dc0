// A deterministic automaton, built as far as texts need it, whose states stand for nodes of a program.
//
// A transition is a number: where the row of the state after it begins in the table, plus 1 if the text matches before
// the code point that is read (which assertions may look at). The rows of states, of an even size, have a column for
// each class, one for the number of the row, as dividing takes longer, and one for the loop. Patterns with thousands of
// classes, of which a text has few after a state, keep the transitions of all states in a hash table instead.
//
// If the states fill their memory, they are all removed, and building begins again with the current one. A state is
// built in bounded time, so a text that needs a new one for each code point is slow, but not much slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/char_class.h"
#include "regex/program.h"

namespace stringops {

class LazyDfa {
 public:
  using Transition = uint32_t;

  virtual ~LazyDfa() = default;
  LazyDfa(const LazyDfa&) = delete;
  LazyDfa& operator=(const LazyDfa&) = delete;

  // The state before the first code point, in a context: the kind of the code point before it (backward: after it).
  Transition start(uint16_t kind) { return starts_[kind] != 0 ? starts_[kind] : make_start(kind); }

  static bool matches(Transition t) { return t & 1; }
  // The state has no path to the goal, or the transition is not known.
  bool is_special(Transition t) const { return t < first_ordinary_; }
  static bool is_dead(Transition t) { return t <= 1; }

  // The characters by which a state leads back to itself, as far as they are known, and whether the text matches before
  // each of them. Those beyond ASCII are all among them, or none.
  struct Loop {
    CharSet chars;
    bool matches = false;
    uint32_t num_beyond_ascii = 0;  // classes
  };
  const Loop& loop(Transition t) const { return loops_[table_[begin_of(t) + stride_ - 1]]; }

  // Return the transition at a code point of class c: that of known() may be special, that of next() may only be dead.
  Transition known(Transition t, uint32_t c) const {
    if (__builtin_expect(is_sparse_, false)) return is_dead(t) ? 0 : stored(t, c)->after;
    return (table_.data() + c)[begin_of(t)];
  }
  Transition next(Transition t, uint32_t c) {
    const Transition after = known(t, c);
    return is_special(after) && !is_dead(after) ? build(t, c) : after;
  }
  // Whether the state has some of the nodes of a set, as words of one bit per node.
  virtual bool has_some(Transition t, const uint64_t* nodes) const = 0;
  uint16_t kind(Transition t) const { return kinds_[row(t)]; }
  uint64_t hash(Transition t) const { return hashes_[row(t)]; }

  // Whether building has taken more than it may, so that nothing may be asked of the automaton.
  bool is_exhausted() const { return budget_ < 0; }

 protected:
  LazyDfa(const Program& program, bool forward);

  size_t num_states() const { return hashes_.size(); }
  static size_t begin_of(Transition t) { return t & ~Transition{1}; }
  Transition of_row(size_t row) const { return static_cast<Transition>(row * stride_); }
  size_t row(Transition t) const { return table_[begin_of(t) + stride_ - 2]; }
  const uint64_t* key_begin(Transition t) const { return keys_.data() + key_ends_[row(t) - 1]; }
  const uint64_t* key_end(Transition t) const { return keys_.data() + key_ends_[row(t)]; }

  // Returns the edges that are followed from a state at a code point of class c, and the kind of the state after it.
  uint32_t context(Transition t, uint32_t c) const {
    return forward_ ? program_.context(kind(t), program_.kind_after(c))
                    : program_.context(program_.kind_before(c), kind(t));
  }
  uint16_t kind_of(uint32_t c) const { return forward_ ? program_.kind_before(c) : program_.kind_after(c); }

  // The state whose key, and so whose nodes, are in key_; dead if that is empty.
  Transition state_of_key(uint16_t kind);
  // The transition of the state at class c to that state.
  Transition add(Transition t, uint32_t c, bool matches);

  // Sets key_ to the nodes at the start.
  virtual void set_start() = 0;
  virtual Transition build(Transition t, uint32_t c) = 0;

  const Program& program_;
  const bool forward_;
  std::vector<uint64_t> key_;
  int64_t budget_ = INT64_MAX;

 private:
  // A transition in the hash table: that of a state, by its place in table_, at class c.
  struct Stored {
    uint32_t state, c;
    Transition after;
  };

  // Returns where the transition is stored, or would be.
  const Stored* stored(Transition t, uint32_t c) const;
  void store(Transition t, uint32_t c, Transition after);
  void clear();
  Transition make_start(uint16_t kind);
  void add_to_loop(Transition t, uint32_t c, bool matches);

  const bool is_sparse_;
  const uint32_t stride_;
  const Transition first_ordinary_;
  std::vector<Transition> table_;
  std::vector<Stored> stored_;  // a power of two of them; those without a state are free
  size_t num_stored_ = 0;
  std::vector<uint64_t> keys_;  // of each row
  std::vector<size_t> key_ends_;
  std::vector<uint64_t> hashes_;
  std::vector<uint16_t> kinds_;
  std::vector<uint32_t> slots_;  // a hash table of rows
  std::vector<Transition> starts_;
  std::vector<Loop> loops_;        // the first one stands for none
  uint32_t num_beyond_ascii_ = 0;  // classes
};

}  // namespace stringops
