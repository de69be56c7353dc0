#include "regex/set_steps.h"

#include <algorithm>
#include <map>

#include "core/bits.h"

namespace stringops {
namespace {

constexpr int64_t kLargeCost = 256;

}  // namespace

SetSteps::SetSteps(const Program& program, Direction direction)
    : num_words_(static_cast<size_t>(words_for(program.num_nodes()))),
      forward_(direction == Direction::kForward),
      origin_(forward_ ? program.start() : program.accept()),
      goal_(forward_ ? program.accept() : program.start()) {
  for (const Edges& edges : program.edges()) {
    std::vector<std::vector<uint32_t>> targets(program.num_nodes());
    for (uint32_t node = 0; node < program.num_nodes(); ++node) {
      for (uint32_t k = edges.begins[node]; k < edges.begins[node + 1]; ++k) {
        const uint32_t target = edges.targets[k];
        forward_ ? targets[node].push_back(target) : targets[target].push_back(node);
      }
    }
    add_context(targets);
  }
  if (cost_ <= kLargeCost) by_node_.clear();
  takers_.resize(program.num_classes() * num_words_);
  for (uint32_t c = 0; c < program.end_class(); ++c) {
    for (uint32_t node = 0; node < program.start(); ++node) {
      if (program.takes(node, c)) takers_[c * num_words_ + node / kWordBits] |= uint64_t{1} << node % kWordBits;
    }
  }
}

size_t SetSteps::add_set(const std::vector<uint32_t>& nodes) {
  const size_t at = words_.size();
  words_.resize(at + num_words_);
  for (const uint32_t node : nodes) words_[at + node / kWordBits] |= uint64_t{1} << node % kWordBits;
  return at;
}

void SetSteps::add_context(const std::vector<std::vector<uint32_t>>& targets) {
  std::vector<uint32_t> to_next, to_itself, to_goal;
  std::map<std::vector<uint32_t>, std::vector<uint32_t>> others;  // by their targets
  for (uint32_t node = 0; node < targets.size(); ++node) {
    std::vector<uint32_t> left;
    for (const uint32_t target : targets[node]) {
      if (target == goal_) {
        to_goal.push_back(node);
      } else if (target == node) {
        to_itself.push_back(node);
      } else if (forward_ ? target == node + 1 : target + 1 == node) {
        to_next.push_back(node);
      } else {
        left.push_back(target);
      }
    }
    if (left.empty()) continue;
    std::sort(left.begin(), left.end());
    others[left].push_back(node);
  }
  Context context{add_set(to_next), add_set(to_itself), add_set(to_goal), {}};
  Edges by_node;
  for (const auto& list : targets) {
    by_node.begins.push_back(static_cast<uint32_t>(by_node.targets.size()));
    by_node.targets.insert(by_node.targets.end(), list.begin(), list.end());
  }
  by_node.begins.push_back(static_cast<uint32_t>(by_node.targets.size()));
  by_node_.push_back(std::move(by_node));
  auto cost = static_cast<int64_t>(4 * num_words_);
  for (const auto& [to, from] : others) {
    const auto word = [](uint32_t node) { return static_cast<uint32_t>(node / kWordBits); };
    Block block{word(from.front()), word(from.back()) + 1, word(to.front()), word(to.back()) + 1, 0, 0};
    cost += 2 + (block.last_from - block.first_from) + (block.last_to - block.first_to);
    if (cost < 1 << 16) {  // otherwise unused
      block.from = add_set(from);
      block.to = add_set(to);
    }
    context.blocks.push_back(block);
  }
  cost_ = std::max(cost_, cost);
  contexts_.push_back(std::move(context));
}

// An edge takes as long as sixteen operations on words.
bool SetSteps::has_few_edges(const uint64_t* from, const Edges& edges) const {
  int64_t left = cost_ / 16;
  for (size_t w = 0; w < num_words_; ++w) {
    for (uint64_t bits = from[w]; bits != 0; bits &= bits - 1) {
      const size_t node = w * kWordBits + static_cast<size_t>(first_bit(bits));
      left -= edges.begins[node + 1] - edges.begins[node];
      if (left < 0) return false;
    }
  }
  return true;
}

bool SetSteps::step_by_nodes(const uint64_t* from, const Edges& edges, const uint64_t* takers, uint64_t* to) const {
  std::fill(to, to + num_words_, 0);
  bool at_goal = false;
  for (size_t w = 0; w < num_words_; ++w) {
    for (uint64_t bits = from[w]; bits != 0; bits &= bits - 1) {
      const size_t node = w * kWordBits + static_cast<size_t>(first_bit(bits));
      for (uint32_t k = edges.begins[node]; k < edges.begins[node + 1]; ++k) {
        const uint32_t target = edges.targets[k];
        at_goal |= target == goal_;
        to[target / kWordBits] |= takers[target / kWordBits] & uint64_t{1} << target % kWordBits;
      }
    }
  }
  return at_goal;
}

bool SetSteps::step(const uint64_t* from, uint32_t context, uint32_t c, uint64_t* to) const {
  const uint64_t* const takers = &takers_[c * num_words_];
  if (!by_node_.empty() && has_few_edges(from, by_node_[context])) {
    return step_by_nodes(from, by_node_[context], takers, to);
  }
  const Context& edges = contexts_[context];
  const uint64_t* const to_next = &words_[edges.to_next];
  const uint64_t* const to_itself = &words_[edges.to_itself];
  const uint64_t* const to_goal = &words_[edges.to_goal];
  uint64_t at_goal = 0;
  if (forward_) {
    uint64_t carry = 0;
    for (size_t w = 0; w < num_words_; ++w) {
      const uint64_t moved = from[w] & to_next[w];
      to[w] = (from[w] & to_itself[w]) | moved << 1 | carry;
      carry = moved >> (kWordBits - 1);
      at_goal |= from[w] & to_goal[w];
    }
  } else {
    uint64_t carry = 0;
    for (size_t w = num_words_; w-- > 0;) {
      const uint64_t moved = from[w] & to_next[w];
      to[w] = (from[w] & to_itself[w]) | moved >> 1 | carry;
      carry = moved << (kWordBits - 1);
      at_goal |= from[w] & to_goal[w];
    }
  }
  for (const Block& block : edges.blocks) {
    uint64_t any = 0;
    for (uint32_t w = block.first_from; w < block.last_from; ++w) any |= from[w] & words_[block.from + w];
    if (any == 0) continue;
    for (uint32_t w = block.first_to; w < block.last_to; ++w) to[w] |= words_[block.to + w];
  }
  for (size_t w = 0; w < num_words_; ++w) to[w] &= takers[w];
  return at_goal != 0;
}

}  // namespace stringops
