#include "regex/first_walk.h"

#include <algorithm>

#include "core/bits.h"

namespace stringops {

FirstWalk::FirstWalk(const Automaton& automaton, bool by_closure)
    : automaton_(automaton), look_back_(automaton, true, by_closure), closure_(automaton.program, Direction::kForward) {
  const Program& program = automaton.program;
  const size_t num_ways = size_t{program.num_nodes()} * program.num_kinds_before() * program.num_classes();
  if (!by_closure && num_ways <= kMaxKept) kept_.resize(num_ways);
}

const FirstWalk::Ways* FirstWalk::kept_ways(uint32_t node, uint16_t kind, uint32_t c) {
  if (kept_.empty()) return nullptr;
  const Program& program = automaton_.program;
  Ways& ways = kept_[(size_t{node} * program.num_kinds_before() + kind) * program.num_classes() + c];
  if (!ways.empty()) return &ways;
  if (num_kept_ > kMaxKept) return nullptr;
  closure_.begin(program.truth(program.context(kind, program.kind_after(c))), INT64_MAX, c);
  closure_.follow(node, [&](uint32_t target) {
    if (target == program.accept() || (c != program.end_class() && program.takes(target, c))) {
      ways.push_back({target, closure_.borders()});
      num_kept_ += 1 + ways.back().borders.size();
    }
    return target != program.accept();
  });
  pace_.spend(closure_.num_visited());
  return &ways;
}

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
    const auto is_lost = [&](uint32_t target) {
      return target != program.accept() && !(alive && test_bit(alive, target));
    };
    const std::vector<uint32_t>* borders = nullptr;
    if (const Ways* const ways = kept_ways(node, kind, c)) {
      for (auto way = ways->begin(); !borders && way != ways->end(); ++way) {
        if (is_lost(way->node)) continue;
        node = way->node;
        borders = &way->borders;
      }
    } else {
      closure_.begin(program.truth(program.context(kind, program.kind_after(c))), INT64_MAX, c);
      const uint32_t before = node;
      const bool reads_on = closure_.follow(before, [&](uint32_t target) {
        node = target;
        return is_lost(target);
      });
      if (!reads_on) borders = &closure_.borders();
      pace_.spend(closure_.num_visited());
    }
    pace_.spend(1);
    if (!borders) return -1;  // no match begins here
    set_borders(*borders, at, groups, count);
    if (node == program.accept()) {
      if (count > 0) groups[0] = {begin, at};
      return at;
    }
    kind = program.kind_before(c);
    at += length;
  }
}

}  // namespace stringops
