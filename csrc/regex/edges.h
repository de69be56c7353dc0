// The Glushkov automaton of a program, without empty steps: from each node, those that can take the next code point.
#pragma once

#include <cstdint>
#include <vector>

#include "regex/program.h"

namespace stringops {

// Edges in one context, by the node from which they come; first those that a backtracking engine tries first.
struct Edges {
  std::vector<uint32_t> begins;  // of each node in `targets`, and its end
  std::vector<uint32_t> targets;
};

// The edges in each context. None if there are too many, as in (?:a?b?){1000}: it has 2,000 nodes and two million
// edges.
std::vector<Edges> find_edges(const Program& program);

}  // namespace stringops
