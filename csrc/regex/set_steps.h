// Steps of a set of nodes along the edges of a program, forward or backward, as operations on words of one bit per
// node: in time that does not depend on the set. Large programs step from node to node, if the set has few of them.
#pragma once

#include <cstdint>
#include <vector>

#include "regex/program.h"

namespace stringops {

class SetSteps {
 public:
  enum class Direction : uint8_t { kForward, kBackward };

  SetSteps(const Program& program, Direction direction);

  // Returns the number of words of a set.
  size_t num_words() const { return num_words_; }
  // The node where all paths begin, and the one where they end.
  uint32_t origin() const { return origin_; }
  uint32_t goal() const { return goal_; }

  // Word operations of a step, about, if the set is large.
  int64_t cost() const { return cost_; }

  // Sets `to` to the nodes that take a code point of class c at an edge from `from` (backward: that have an edge into
  // it). Returns whether there is an edge to the goal.
  bool step(const uint64_t* from, uint32_t context, uint32_t c, uint64_t* to) const;

 private:
  // Each node of a set has edges to each node of another one: [first, last) are the words that are not 0.
  struct Block {
    uint32_t first_from, last_from, first_to, last_to;
    size_t from, to;  // in words_
  };
  struct Context {
    size_t to_next, to_itself, to_goal;  // sets in words_: nodes with such an edge
    std::vector<Block> blocks;           // all other edges
  };

  size_t add_set(const std::vector<uint32_t>& nodes);
  bool step_by_nodes(const uint64_t* from, const Edges& edges, const uint64_t* takers, uint64_t* to) const;
  bool has_few_edges(const uint64_t* from, const Edges& edges) const;
  void add_context(const std::vector<std::vector<uint32_t>>& targets);

  size_t num_words_;
  bool forward_;
  uint32_t origin_, goal_;
  int64_t cost_ = 0;
  std::vector<Context> contexts_;
  std::vector<uint64_t> words_;
  std::vector<Edges> by_node_;    // of each context; none for small programs
  std::vector<uint64_t> takers_;  // of each class, the nodes that take it
};

}  // namespace stringops
