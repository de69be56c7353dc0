#include "regex/position_automaton.h"

#include <algorithm>
#include <set>
#include <utility>

namespace stringops {
namespace {

// Steps from a state of a pattern whose first matches are compared with its longest ones: 10 ms at most.
constexpr int kMaxSteps = 1 << 14;

constexpr uint32_t bit(uint32_t node) {
  return uint32_t{1} << node;
}

// A state of both automata: nodes in the order of preference, and those of all paths.
struct Paths {
  std::vector<uint32_t> preferred;
  uint32_t all = 0;

  bool operator<(const Paths& other) const { return all != other.all ? all < other.all : preferred < other.preferred; }
};

// The state after a code point of class c. The list ends at a match, as less preferred paths do.
Paths next_paths(const Program& program, const Edges& edges, const Paths& state, uint32_t c) {
  Paths next;
  const auto for_each_target = [&](uint32_t node, const auto& take) {
    for (uint32_t k = edges.begins[node]; k < edges.begins[node + 1]; ++k) {
      if (!take(edges.targets[k])) return false;
    }
    return true;
  };
  const auto takes = [&](uint32_t node) { return node != program.accept() && program.takes(node, c); };
  uint32_t seen = 0;
  for (const uint32_t from : state.preferred) {
    const bool goes_on = for_each_target(from, [&](uint32_t node) {
      if (node == program.accept()) return false;
      if ((seen & bit(node)) == 0 && takes(node)) next.preferred.push_back(node);
      seen |= bit(node);
      return true;
    });
    if (!goes_on) break;
  }
  for (uint32_t from = 0; from <= program.start(); ++from) {
    if ((state.all & bit(from)) == 0) continue;
    for_each_target(from, [&](uint32_t node) {
      if (takes(node)) next.all |= bit(node);
      return true;
    });
  }
  return next;
}

// Whether the first match is always the longest one: after any text, both automata match, or neither.
bool first_is_longest(const Program& program, const Edges& edges) {
  uint32_t last = 0;  // nodes before the accepting one
  for (uint32_t node = 0; node <= program.start(); ++node) {
    for (uint32_t k = edges.begins[node]; k < edges.begins[node + 1]; ++k) {
      if (edges.targets[k] == program.accept()) last |= bit(node);
    }
  }
  std::set<Paths> known;
  int steps = 0;
  std::vector<Paths> left{{{program.start()}, bit(program.start())}};
  while (!left.empty()) {
    const Paths state = std::move(left.back());
    left.pop_back();
    uint32_t preferred = 0;
    for (const uint32_t node : state.preferred) preferred |= bit(node);
    if (((state.all & last) != 0) != ((preferred & last) != 0)) return false;
    for (uint32_t c = 0; c < program.end_class(); ++c) {
      if (++steps > kMaxSteps) return false;
      Paths next = next_paths(program, edges, state, c);
      if (next.all != 0 && known.insert(next).second) left.push_back(std::move(next));
    }
  }
  return true;
}

}  // namespace

std::optional<PositionAutomaton> PositionAutomaton::compile(const Program& program, const std::vector<Edges>& edges,
                                                            MatchRule rule) {
  if (program.start() == 0 || program.start() > kMaxNodes || edges.size() != 1) return std::nullopt;
  PositionAutomaton result;
  for (uint32_t node = 0; node < program.start(); ++node) result.add_node(program, node);
  if (!result.add_edges(program, edges[0])) return std::nullopt;
  if (rule == MatchRule::kFirst && !first_is_longest(program, edges[0])) return std::nullopt;
  return result;
}

void PositionAutomaton::add_node(const Program& program, uint32_t node) {
  const CodepointClasses& classes = program.classes();
  CharSet set;
  bool has_all = true;
  for (uint8_t b = 0; b < 0x80; ++b) {
    if (program.takes(node, classes.of_ascii(b))) set.add(b);
  }
  for (uint32_t c = 0; c < program.end_class(); ++c) {
    if (!classes.is_beyond_ascii(c)) continue;
    set.beyond_ascii |= program.takes(node, c);
    has_all &= program.takes(node, c);
  }
  needs_ascii_ |= set.beyond_ascii && !has_all;
  const auto found = std::find(sets_.begin(), sets_.end(), set);
  nodes_.push_back({static_cast<size_t>(found - sets_.begin())});
  if (found == sets_.end()) sets_.push_back(set);
}

// Nodes are numbered from left to right, so that an edge to the left is part of a loop.
bool PositionAutomaton::add_edges(const Program& program, const Edges& edges) {
  for (uint32_t from = 0; from <= program.start(); ++from) {
    for (uint32_t k = edges.begins[from]; k < edges.begins[from + 1]; ++k) {
      const uint32_t to = edges.targets[k];
      if (from == program.start()) {
        if (to == program.accept()) return false;
        begins_ |= bit(to);
      } else if (to == program.accept()) {
        nodes_[from].accepts = true;
      } else if (to == from) {
        nodes_[from].loops = true;
      } else if (to < from) {
        return false;
      } else {
        nodes_[from].after |= bit(to);
        nodes_[to].before |= bit(from);
      }
    }
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!sets_[nodes_[i].set].beyond_ascii) continue;
    begins_beyond_ascii_ |= (begins_ & bit(i)) != 0;
    needs_ascii_ |= !nodes_[i].loops;
    for (uint32_t k = 0; k < nodes_.size(); ++k) {
      needs_ascii_ |= (nodes_[i].after & bit(k)) != 0 && sets_[nodes_[k].set].beyond_ascii;
    }
  }
  return true;
}

}  // namespace stringops
