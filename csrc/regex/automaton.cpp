#include "regex/automaton.h"

#include "regex/closure.h"

namespace stringops {
namespace {

// Word operations of a step: if one takes more, it is not worth a pass over the text to read short matches only once.
constexpr int64_t kMaxCost = 384;
constexpr uint32_t kShortMatch = 64;  // code points

// Whether all matches pass an assertion that holds only where the text begins, or where it ends (kBackward).
bool is_anchored(const Program& program, Direction direction) {
  const bool forward = direction == Direction::kForward;
  const auto kind = [&](uint32_t c) { return forward ? program.kind_before(c) : program.kind_after(c); };
  const uint16_t edge = kind(program.end_class());
  for (uint32_t c = 0; c < program.end_class(); ++c) {
    if (kind(c) == edge) return false;
  }
  Closure closure(program, direction);
  for (uint16_t before = 0; before < program.num_kinds_before(); ++before) {
    for (uint16_t after = 0; after < program.num_kinds_after(); ++after) {
      if ((forward ? before : after) == edge) continue;
      closure.begin(program.truth(program.context(before, after)));
      const auto stop = [](uint32_t) { return false; };
      if (!closure.follow(forward ? program.start() : program.accept(), stop)) return false;
    }
  }
  return true;
}

// Returns the characters with which no match begins, or ends (kBackward), but an empty one, which it tells of.
CharSet chars_beyond_edge(const Program& program, Direction direction, bool* matches_empty) {
  const bool forward = direction == Direction::kForward;
  const uint32_t origin = forward ? program.start() : program.accept();
  const uint32_t goal = forward ? program.accept() : program.start();
  const CodepointClasses& classes = program.classes();
  std::vector<bool> seen(program.num_nodes());
  CharSet chars;
  Closure closure(program, direction);
  closure.begin(Closure::kAllHold);
  closure.follow(origin, [&](uint32_t node) {
    if (node == goal) {
      *matches_empty = true;
    } else if (!seen[program.set(node)]) {
      seen[program.set(node)] = true;
      for (uint8_t b = 0; b < 0x80; ++b) {
        if (program.takes(node, classes.of_ascii(b))) chars.add(b);
      }
      chars.beyond_ascii |= classes.has_beyond_ascii(program.set(node));
    }
    return true;
  });
  chars.invert();
  return chars;
}

}  // namespace

Automaton::Automaton(const Syntax& syntax, MatchRule match_rule)
    : rule(match_rule),
      program(Program::compile(syntax, match_rule == MatchRule::kFirst)),
      edges_(find_edges(program)),
      forward(program, edges_, Direction::kForward),
      backward(program, edges_, Direction::kBackward),
      begins_text(is_anchored(program, Direction::kForward)),
      ends_text(is_anchored(program, Direction::kBackward)),
      positions(begins_text || ends_text ? std::nullopt : PositionAutomaton::compile(program, edges_, rule)),
      one_pass(rule == MatchRule::kFirst && syntax.num_groups > 0 ? OnePass::compile(program) : nullptr),
      looks_back(backward.cost() <= kMaxCost || !program.matches_at_most(kShortMatch)),
      texts(match_texts(syntax.root)),
      looks_before(program.num_kinds_before() > 1) {
  edges_ = {};
  cannot_begin = chars_beyond_edge(program, Direction::kForward, &matches_empty);
  cannot_end = chars_beyond_edge(program, Direction::kBackward, &matches_empty);
}

int64_t Automaton::max_bytes() const {
  constexpr int64_t kAutomata = 8 << 20;  // what an ordinary text lets the states take
  constexpr int64_t kPerInstruction = 256;
  return kAutomata + kPerInstruction * static_cast<int64_t>(program.code().size());
}

}  // namespace stringops
