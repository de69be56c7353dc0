#include "regex/first_dfa.h"

#include <algorithm>

#include "core/bits.h"
#include "core/testing.h"

namespace stringops {
namespace {

// The budget counts instructions and nodes, each of which takes about 2 ns.
constexpr int64_t kMaxBudget = block_size(1 << 22, 64);
// For each byte of a text; more if the walk, whose sets have a bit for each node, takes longer.
int64_t budget_per_byte(const Program& program) {
  return std::max(block_size(16, 1), static_cast<int64_t>(program.num_nodes()) / 64);
}

}  // namespace

FirstDfa::FirstDfa(const Program& program, bool begins_anywhere)
    : LazyDfa(program, true), begins_anywhere_(begins_anywhere), closure_(program, Direction::kForward) {
  budget_ = kMaxBudget;
}

void FirstDfa::add_budget(int64_t num_bytes) {
  const int64_t added = budget_per_byte(program_) * num_bytes;
  budget_ = std::min(budget_ + added, std::max(kMaxBudget, added));
}

void FirstDfa::set_start() {
  key_.assign(1, program_.start());
}

bool FirstDfa::has_some(Transition t, const uint64_t* nodes) const {
  return std::any_of(key_begin(t), key_end(t),
                     [&](uint64_t node) { return test_bit(nodes, static_cast<int64_t>(node)); });
}

FirstDfa::Transition FirstDfa::build(Transition t, uint32_t c) {
  closure_.begin(program_.truth(context(t, c)), INT64_MAX, c);
  key_.clear();
  bool matches = false;
  for (const uint64_t* node = key_begin(t); node < key_end(t) && !matches; ++node) {
    closure_.follow(static_cast<uint32_t>(*node), [&](uint32_t target) {
      matches = target == program_.accept();
      if (!matches && c != program_.end_class() && program_.takes(target, c)) key_.push_back(target);
      return !matches;
    });
  }
  if (begins_anywhere_ && !matches && c != program_.end_class() && key_begin(t) < key_end(t) &&
      key_end(t)[-1] == program_.start()) {
    key_.push_back(program_.start());
  }
  budget_ -= 16 + 2 * (key_end(t) - key_begin(t)) + closure_.num_visited();
  return add(t, c, matches);
}

}  // namespace stringops
