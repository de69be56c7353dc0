#include "regex/first_walk.h"

#include <algorithm>

#include "core/bits.h"

namespace stringops {
namespace {

// Ways are kept if there are few, as all of those at a code point are found then, not only those up to the one taken.
constexpr size_t kMaxWays = size_t{1} << 16, kMaxNodes = 128;

}  // namespace

FirstWalk::FirstWalk(const Automaton& automaton, bool by_closure)
    : automaton_(automaton), look_back_(automaton, true, by_closure), closure_(automaton.program, Direction::kForward) {
  const Program& program = automaton.program;
  const size_t entries = size_t{program.num_nodes()} * program.num_kinds_before() * program.num_classes();
  if (!by_closure && entries <= kMaxWays && program.num_nodes() <= kMaxNodes) known_.resize(entries, 0);
  clear();
}

void FirstWalk::clear() {
  std::fill(known_.begin(), known_.end(), 0);
  ways_.assign(1, {0, 0});  // stands for none
  borders_.clear();
}

void FirstWalk::read(const uint8_t* text, int64_t from, int64_t to, int64_t size, bool finds_begins) {
  text_ = text;
  to_ = to;
  size_ = size;
  look_back_.read(text, from, to, size, finds_begins);
}

// Returns the ways from a node at a code point of class c after one of a kind, the preferred one first, up to one to a
// match; if they are not kept, to a node that is alive.
const FirstWalk::Way* FirstWalk::find_ways(uint32_t node, uint16_t kind, uint32_t c, const uint64_t* alive) {
  const Program& program = automaton_.program;
  if (known_.empty() || ways_.size() + borders_.size() > kMaxWays) clear();
  const size_t first = ways_.size();
  closure_.begin(program.truth(program.context(kind, program.kind_after(c))), INT64_MAX, c);
  closure_.follow(node, [&](uint32_t target) {
    const bool accepts = target == program.accept();
    if (!accepts && (c == program.end_class() || !program.takes(target, c))) return true;
    ways_.push_back({target, borders_.size()});
    const std::vector<uint32_t>& passed = closure_.borders();
    borders_.insert(borders_.end(), passed.begin(), passed.end());
    return !accepts && !(known_.empty() && alive && test_bit(alive, target));
  });
  pace_.spend(closure_.num_visited());
  ways_.push_back({program.start(), borders_.size()});  // the end of the ways: none leads to the start
  if (!known_.empty()) known_[entry(node, kind, c)] = static_cast<uint32_t>(first);
  return &ways_[first];
}

// Tries the ways one after the other, as a backtracking engine does, for a few steps.
bool FirstWalk::backtrack(const uint8_t* text, Match match, int64_t size, Match* groups, int64_t count) {
  if (known_.empty()) return false;
  const Program& program = automaton_.program;
  if (ways_.size() + borders_.size() > kMaxWays / 2) clear();
  taken_.clear();
  int64_t at = match.begin, length = 1, steps = 4 * (match.end - match.begin) + 64;
  const auto next_class = [&] {
    length = 1;
    return at == size ? program.end_class() : program.classes().next(text + at, text + size, &length);
  };
  uint32_t c = next_class();
  const uint16_t kind = program.kind_before(program.classes().class_before(text, text + at, program.end_class()));
  const Way* way = ways(program.start(), kind, c, nullptr);
  while (true) {
    if (steps-- == 0 || ways_.size() + borders_.size() > kMaxWays - program.num_nodes()) return false;
    while (way->node != program.start() && (way->node == program.accept()) != (at == match.end)) ++way;
    if (way->node == program.start()) {  // goes back to the last choice
      while (!taken_.empty() && ways_[taken_.back().way + 1].node == program.start()) taken_.pop_back();
      if (taken_.empty()) return false;
      way = &ways_[taken_.back().way + 1];
      at = taken_.back().at;
      c = next_class();
      taken_.pop_back();
      continue;
    }
    if (way[1].node != program.start() || way[1].borders != way->borders) {
      taken_.push_back({static_cast<size_t>(way - ways_.data()), at});
    }
    if (at == match.end) break;
    at += length;
    const uint16_t after = program.kind_before(c);
    c = next_class();
    way = ways(way->node, after, c, nullptr);
  }
  std::fill(groups, groups + count, Match{-1, -1});
  for (const Taken& taken : taken_) {
    const size_t last = ways_[taken.way + 1].borders;
    set_borders(borders_.data() + ways_[taken.way].borders, borders_.data() + last, taken.at, groups, count);
  }
  groups[0] = match;
  return true;
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
    const Way* way = ways(node, kind, c, alive);
    while (way->node < program.start() && !(alive && test_bit(alive, way->node))) ++way;
    node = way->node;
    pace_.spend(1);
    if (node == program.start()) return -1;  // no match begins here
    set_borders(borders_.data() + way->borders, borders_.data() + way[1].borders, at, groups, count);
    if (node == program.accept()) {
      if (count > 0) groups[0] = {begin, at};
      return at;
    }
    kind = program.kind_before(c);
    at += length;
  }
}

}  // namespace stringops
