#include "regex/automaton.h"

#include <algorithm>
#include <utility>

#include "regex/first_dfa.h"
#include "regex/set_dfa.h"

namespace stringops {
namespace {

// Word operations of a step. A text can require one for each of its code points, and for each of the passes over it.
constexpr int64_t kMaxCost = 384;
// If a step can cost more, an automaton is used only if all of its states fit into the memory. To build them takes 0.1
// s at most.
constexpr int64_t kMaxWork = 1 << 26;
// Code points that are read again for each match.
constexpr uint32_t kShortMatch = 64;

// Edges that a walk may look at for each code point (FirstWalk).
constexpr uint32_t kMaxWalkEdges = 128;

bool steps_in_bounded_time(const Program& program, const SetSteps& steps, bool begins_anywhere) {
  return steps.cost() <= kMaxCost || SetDfa(program, steps, begins_anywhere).build_all(kMaxWork);
}

}  // namespace

std::unique_ptr<const Automaton> Automaton::compile(const Syntax& syntax, MatchRule rule) {
  auto program = Program::compile(syntax, rule == MatchRule::kFirst);
  if (!program) return nullptr;
  auto automaton = std::make_unique<Automaton>(*std::move(program), rule);
  automaton->sequence = RunSequence::compile(syntax);
  return automaton->takes_bounded_time() ? std::move(automaton) : nullptr;
}

bool Automaton::takes_bounded_time() {
  if (!steps_in_bounded_time(program, forward, false)) return false;
  looks_back = backward.cost() <= kMaxCost || !matches_at_most(kShortMatch);
  if (looks_back && !steps_in_bounded_time(program, backward, true)) return false;
  if (rule == MatchRule::kLongest) return true;
  one_pass = OnePass::compile(program);
  walks = looks_back && walks_in_bounded_time();
  return walks || FirstDfa(program, false).build_all(kMaxWork);
}

bool Automaton::walks_in_bounded_time() const {
  for (const Edges& edges : program.edges()) {
    for (uint32_t node = 0; node + 1 < program.num_nodes(); ++node) {
      if (edges.begins[node + 1] - edges.begins[node] > kMaxWalkEdges) return false;
    }
  }
  return true;
}

bool Automaton::matches_at_most(uint32_t limit) const {
  // Nodes are numbered from left to right, so that an edge to the left, or to itself, is part of a loop.
  for (const Edges& edges : program.edges()) {
    std::vector<uint32_t> lengths(program.num_nodes());
    for (uint32_t node = program.start(); node-- > 0;) {
      for (uint32_t k = edges.begins[node]; k < edges.begins[node + 1]; ++k) {
        const uint32_t target = edges.targets[k];
        if (target <= node) return false;
        lengths[node] = std::max(lengths[node], lengths[target] + 1);
      }
      if (lengths[node] > limit) return false;
    }
  }
  return true;
}

Automaton::Automaton(Program compiled, MatchRule match_rule)
    : rule(match_rule),
      program(std::move(compiled)),
      forward(program, SetSteps::Direction::kForward),
      backward(program, SetSteps::Direction::kBackward),
      looks_back(true),
      walks(false),
      finds_anywhere(forward.cost() <= kMaxCost),
      matches_empty(false),
      looks_before(false) {
  std::vector<bool> begins(program.num_classes());
  for (const Edges& edges : program.edges()) {
    for (uint32_t k = edges.begins[program.start()]; k < edges.begins[program.start() + 1]; ++k) {
      const uint32_t node = edges.targets[k];
      if (node == program.accept()) {
        matches_empty = true;
        continue;
      }
      for (uint32_t c = 0; c < program.end_class(); ++c) begins[c] = begins[c] || program.takes(node, c);
    }
  }
  const CodepointClasses& classes = program.classes();
  cannot_begin.beyond_ascii = true;
  for (uint8_t b = 0; b < 0x80; ++b) {
    if (!begins[classes.of_ascii(b)]) cannot_begin.add(b);
  }
  for (uint32_t c = 0; c < program.end_class(); ++c) {
    looks_before |= program.kind_before(c) != program.kind_before(program.end_class());
    if (begins[c] && classes.is_beyond_ascii(c)) cannot_begin.beyond_ascii = false;
  }
}

}  // namespace stringops
