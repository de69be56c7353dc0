// Finds the match of a backtracking engine in linear time: a backward pass marks the nodes from which the rest of the
// text matches, and the forward pass takes the preferred one.
#pragma once

#include <cstdint>

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

  // The end of the match that begins at `begin`; -1 if there is none. Sets groups[0, count), which are {-1, -1} if they
  // are not part of it.
  int64_t find_end(int64_t begin, Match* groups, int64_t count);
  // The first position at or after `at` where a match begins; -1 if there is none.
  int64_t next_begin(int64_t at) const { return look_back_.next_begin(at); }
  int64_t from() const { return look_back_.from(); }

 private:
  const Automaton& automaton_;
  LookBack look_back_;
  Closure closure_;
  Pace pace_;
  const uint8_t* text_ = nullptr;
  int64_t to_ = 0, size_ = 0;
};

}  // namespace stringops
