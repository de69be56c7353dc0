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

  // What assertions demand where a match begins, or ends: one of the cases, in each of which the bytes on both sides
  // are of a set, or there is none because the string begins or ends there.
  struct Case {
    size_t before, after;  // sets
    bool at_begin, at_end;
    bool operator==(const Case& other) const {
      return before == other.before && after == other.after && at_begin == other.at_begin && at_end == other.at_end;
    }
  };
  using Condition = std::vector<Case>;

  // A node of the automaton, or a repetition: `count` nodes of the same set one after the other, of which the last one
  // goes on, or if `is_range`, any of them. The last bytes of a range are the same whichever of its bytes is the first.
  struct Node {
    size_t set = 0;
    bool loops = false;    // it may follow itself
    bool accepts = false;  // a match may end with it, on the condition
    bool is_range = false;
    int64_t count = 1;
    int begin_if = -1, accept_if = -1;  // conditions; -1: none
    uint32_t before = 0, after = 0;     // bits of the nodes that may be before it, and after it
  };

  // Nothing if the pattern has many nodes, assertions within matches that depend on the text, or can match "".
  static std::optional<PositionAutomaton> compile(const Program& program, const std::vector<Edges>& edges,
                                                  MatchRule rule);

  const std::vector<CharSet>& sets() const { return sets_; }
  const std::vector<Condition>& conditions() const { return conditions_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  uint32_t begins() const { return begins_; }  // bits of the nodes with which matches begin
  // Nodes before this one may follow one of it or of those after it, so that there is a loop of several; 0: none.
  size_t loops_end() const { return loops_end_; }

  // The bytes of all matches in ASCII text if these are as many for each, otherwise 0.
  int64_t length() const { return length_; }

  // Returns whether the program is only correct for ASCII text. Otherwise only runs contain code points beyond ASCII,
  // each run contains all of them, and such runs are not adjacent. The other function returns whether a match can begin
  // with one.
  bool needs_ascii() const { return needs_ascii_; }
  bool begins_beyond_ascii() const { return begins_beyond_ascii_; }

 private:
  // A node of the program, with all nodes before and after it.
  struct Single {
    Node node;
    bool begins = false;
    std::vector<bool> kinds_before{}, kinds_after{};  // of what it takes
    std::vector<uint32_t> before{}, after{};
  };
  using Singles = std::vector<Single>;

  template <class Has>
  size_t add_classes(const Program& program, const Has& has);
  bool add_edges(const Program& program, const std::vector<Edges>& edges, Singles* all);
  bool add_edge(const Program& program, uint32_t from, uint32_t to, uint64_t contexts, Singles* all);
  int add_condition(const Program& program, uint64_t contexts, const std::vector<bool>& kinds_before,
                    const std::vector<bool>& kinds_after);
  size_t end_of_repetition(const Singles& all, size_t first) const;
  bool is_range(const Singles& all, size_t first, size_t end) const;
  bool add_nodes(const Singles& all);
  int64_t find_length() const;

  std::vector<CharSet> sets_;
  std::vector<Condition> conditions_;
  std::vector<Node> nodes_;
  uint32_t begins_ = 0;
  size_t loops_end_ = 0;
  int64_t length_ = 0;
  bool needs_ascii_ = false;
  bool begins_beyond_ascii_ = false;
};

}  // namespace stringops
