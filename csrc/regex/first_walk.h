// Finds the match of a backtracking engine in linear time: a backward pass marks the nodes from which the rest of the
// text matches, and the forward pass takes the preferred one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "regex/closure.h"
#include "regex/look_back.h"

namespace stringops {

class FirstWalk {
 public:
  FirstWalk(const Automaton& automaton, bool by_closure);

  // Reads text[from, to) backward, of a text of `size` bytes. Matches end there at the latest. next_begin() must only
  // be called after a call with `finds_begins`.
  void read(const uint8_t* text, int64_t from, int64_t to, int64_t size, bool finds_begins);

  // Sets groups[0, count) of the match, in a text of `size` bytes, if it takes few steps; otherwise returns false.
  bool backtrack(const uint8_t* text, Match match, int64_t size, Match* groups, int64_t count);

  // The end of the match that begins at `begin`; -1 if there is none. Sets groups[0, count), which are {-1, -1} if they
  // are not part of it.
  int64_t find_end(int64_t begin, Match* groups, int64_t count);
  // The first position at or after `at` where a match begins; -1 if there is none.
  int64_t next_begin(int64_t at) const { return look_back_.next_begin(at); }
  int64_t from() const { return look_back_.from(); }

 private:
  // A way to a node, and the first of the borders of groups that are passed on it, which end with those of the next
  // way.
  struct Way {
    uint32_t node;
    size_t borders;
  };

  size_t entry(uint32_t node, uint16_t kind, uint32_t c) const {
    const Program& program = automaton_.program;
    return (size_t{node} * program.num_kinds_before() + kind) * program.num_classes() + c;
  }
  const Way* ways(uint32_t node, uint16_t kind, uint32_t c, const uint64_t* alive) {
    const uint32_t first = known_.empty() ? 0 : known_[entry(node, kind, c)];
    return first != 0 ? &ways_[first] : find_ways(node, kind, c, alive);
  }
  const Way* find_ways(uint32_t node, uint16_t kind, uint32_t c, const uint64_t* alive);
  void clear();

  const Automaton& automaton_;
  LookBack look_back_;
  Closure closure_;
  // The first of the ways from each node, after each kind, at each class, 0 if they are not known; empty if too many.
  std::vector<uint32_t> known_;
  std::vector<Way> ways_;
  std::vector<uint32_t> borders_;
  struct Taken {
    size_t way;
    int64_t at;
  };
  std::vector<Taken> taken_;  // the ways so far, and where
  Pace pace_;
  const uint8_t* text_ = nullptr;
  int64_t to_ = 0, size_ = 0;
};

}  // namespace stringops
