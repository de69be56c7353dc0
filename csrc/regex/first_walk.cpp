#include "regex/first_walk.h"

#include <algorithm>

#include "core/bits.h"

namespace stringops {

FirstWalk::FirstWalk(const Automaton& automaton, bool by_closure)
    : automaton_(automaton),
      look_back_(automaton, true, by_closure),
      closure_(automaton.program, Direction::kForward) {}

void FirstWalk::read(const uint8_t* text, int64_t from, int64_t to, int64_t size, bool finds_begins) {
  text_ = text;
  to_ = to;
  size_ = size;
  look_back_.read(text, from, to, size, finds_begins);
}

int64_t FirstWalk::find_end(int64_t begin, Match* groups, int64_t count) {
  const Program& program = automaton_.program;
  std::fill(groups, groups + count, Match{-1, -1});
  uint32_t node = program.start();
  uint16_t kind = program.kind_before(program.classes().class_before(text_, text_ + begin, program.end_class()));
  for (int64_t at = begin;;) {
    int64_t length = 1;
    const uint32_t c = at == size_ ? program.end_class() : program.classes().next(text_ + at, text_ + size_, &length);
    const uint64_t* const alive = at < to_ ? look_back_.alive(at) : nullptr;
    closure_.begin(program.truth(program.context(kind, program.kind_after(c))), INT64_MAX, c);
    const uint32_t before = node;
    const bool is_lost = closure_.follow(before, [&](uint32_t target) {
      node = target;
      return target != program.accept() && !(alive && test_bit(alive, target));
    });
    pace_.spend(1 + closure_.num_visited());
    if (is_lost) return -1;  // no match begins here
    set_borders(closure_.borders(), at, groups, count);
    if (node == program.accept()) {
      if (count > 0) groups[0] = {begin, at};
      return at;
    }
    kind = program.kind_before(c);
    at += length;
  }
}

}  // namespace stringops
