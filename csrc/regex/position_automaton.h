// A small pattern as its Glushkov automaton, simulated on masks of one bit per byte: each node has the mask of the
// bytes that it takes. From right to left the masks tell where matches begin, from left to right where each of them
// ends, for 64 bytes at once, while a DFA waits for each byte.
//
// The first matches must be the longest ones, as those of most patterns are, so that an end is the last one that can be
// reached.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/char_class.h"
#include "regex/edges.h"
#include "regex/match_rule.h"
#include "regex/program.h"

namespace stringops {

class PositionAutomaton {
 public:
  static constexpr size_t kMaxNodes = 24;

  struct Node {
    size_t set = 0;
    bool loops = false;              // it may follow itself
    bool accepts = false;            // a match may end with it
    uint32_t before = 0, after = 0;  // bits of the other nodes that may be before it, and after it
  };

  // Nothing if the pattern has assertions, many nodes, a loop of several, or can match "".
  static std::optional<PositionAutomaton> compile(const Program& program, const std::vector<Edges>& edges,
                                                  MatchRule rule);

  const std::vector<CharSet>& sets() const { return sets_; }
  const std::vector<Node>& nodes() const { return nodes_; }  // each after those that may be before it
  uint32_t begins() const { return begins_; }                // bits of the nodes with which matches begin

  // Returns whether the program is only correct for ASCII text. Otherwise only runs contain code points beyond ASCII,
  // each run contains all of them, and such runs are not adjacent. The other function returns whether a match can begin
  // with one.
  bool needs_ascii() const { return needs_ascii_; }
  bool begins_beyond_ascii() const { return begins_beyond_ascii_; }

 private:
  void add_node(const Program& program, uint32_t node);
  bool add_edges(const Program& program, const Edges& edges);

  std::vector<CharSet> sets_;
  std::vector<Node> nodes_;
  uint32_t begins_ = 0;
  bool needs_ascii_ = false;
  bool begins_beyond_ascii_ = false;
};

}  // namespace stringops
