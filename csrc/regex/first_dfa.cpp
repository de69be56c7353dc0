#include "regex/first_dfa.h"

#include <algorithm>

#include "core/bits.h"
#include "core/testing.h"

namespace stringops {
namespace {

// The budget counts edges and nodes, each of which takes about 2 ns.
constexpr int64_t kMaxBudget = block_size(1 << 22, 64);
constexpr int64_t kBudgetPerByte = block_size(16, 1);

}  // namespace

FirstDfa::FirstDfa(const Program& program, bool is_limited)
    : LazyDfa(program, true), seen_(program.num_nodes()), is_limited_(is_limited) {
  if (is_limited) budget_ = kMaxBudget;
}

void FirstDfa::add_budget(int64_t num_bytes) {
  if (!is_limited_) return;
  budget_ = std::min(budget_ + kBudgetPerByte * num_bytes, std::max(kMaxBudget, kBudgetPerByte * num_bytes));
}

void FirstDfa::set_start() {
  key_.assign(1, program_.start());
}

bool FirstDfa::has_some(Transition t, const uint64_t* nodes) const {
  return std::any_of(key_begin(t), key_end(t),
                     [&](uint64_t node) { return test_bit(nodes, static_cast<int64_t>(node)); });
}

int64_t FirstDfa::cost(Transition t, uint32_t c) const {
  const Edges& edges = program_.edges()[context(t, c)];
  int64_t sum = 16;
  for (const uint64_t* node = key_begin(t); node < key_end(t); ++node) {
    sum += 2 + edges.begins[*node + 1] - edges.begins[*node];
  }
  return sum;
}

FirstDfa::Transition FirstDfa::build(Transition t, uint32_t c) {
  const Edges& edges = program_.edges()[context(t, c)];
  if (++now_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    now_ = 1;
  }
  key_.clear();
  bool matches = false;
  for (const uint64_t* node = key_begin(t); node < key_end(t) && !matches; ++node) {
    budget_ -= 2 + edges.begins[*node + 1] - edges.begins[*node];
    for (uint32_t k = edges.begins[*node]; k < edges.begins[*node + 1]; ++k) {
      const uint32_t target = edges.targets[k];
      if (target == program_.accept()) {
        matches = true;
        break;
      }
      if (seen_[target] == now_) continue;
      seen_[target] = now_;
      if (c != program_.end_class() && program_.takes(target, c)) key_.push_back(target);
    }
  }
  budget_ -= 16;
  return add(t, c, matches);
}

}  // namespace stringops
