// Steps of a set of nodes along the edges of a program, forward or backward, as operations on words of one bit per
// node: in time that does not depend on the set.
#pragma once

#include <cstdint>
#include <vector>

#include "regex/closure.h"
#include "regex/edges.h"
#include "regex/program.h"

namespace stringops {

// A visit of an instruction takes as long as sixteen operations on words.
inline constexpr int64_t kOperationsPerVisit = 16;

class SetSteps {
 public:
  SetSteps(const Program& program, const std::vector<Edges>& edges, Direction direction);

  Direction direction() const { return direction_; }
  // Returns the number of words of a set.
  size_t num_words() const { return num_words_; }
  // The node where all paths begin, and the one where they end.
  uint32_t origin() const { return origin_; }
  uint32_t goal() const { return goal_; }

  // Word operations of a step, about. INT64_MAX if there are no such steps: they would take longer than to visit all
  // instructions, or too much memory.
  int64_t cost() const { return cost_; }

  // Sets `to` to the nodes that take a code point of class c at an edge from `from` (backward: that have an edge into
  // it). Returns whether there is an edge to the goal.
  bool step(const uint64_t* from, uint32_t context, uint32_t c, uint64_t* to) const;

 private:
  // Each node of a set has edges to each node of another one: [first, last) are the words that are not 0.
  struct EdgeRun {
    uint32_t first_from, last_from, first_to, last_to;
    size_t from, to;  // in words_
  };
  struct Context {
    size_t to_next, to_itself, to_goal;  // sets in words_: nodes with such an edge
    std::vector<EdgeRun> blocks;         // all other edges
  };

  bool add_contexts(const Program& program, const std::vector<Edges>& edges);
  bool add_context(const std::vector<std::vector<uint32_t>>& targets);
  size_t add_set(const std::vector<uint32_t>& nodes, size_t first_word, size_t num_words);

  const size_t num_words_;
  const Direction direction_;
  const uint32_t origin_, goal_;
  const int64_t max_cost_;
  int64_t cost_ = 0;
  std::vector<Context> contexts_;
  std::vector<uint64_t> words_;
  std::vector<uint64_t> takers_;  // of each class, the nodes that take it
};

}  // namespace stringops
