#include "regex/set_steps.h"

#include <algorithm>
#include <map>

#include "core/bits.h"

namespace stringops {
namespace {

constexpr int64_t kMaxStepCost = 1 << 16;
constexpr size_t kMaxWords = 1 << 21;  // of the edges, and of the takers

}  // namespace

SetSteps::SetSteps(const Program& program, const std::vector<Edges>& edges, Direction direction)
    : num_words_(static_cast<size_t>(words_for(program.num_nodes()))),
      direction_(direction),
      origin_(direction == Direction::kForward ? program.start() : program.accept()),
      goal_(direction == Direction::kForward ? program.accept() : program.start()),
      max_cost_(std::min(kMaxStepCost, kOperationsPerVisit * static_cast<int64_t>(program.code().size()))) {
  if (edges.empty() || program.num_classes() * num_words_ > kMaxWords || !add_contexts(program, edges)) {
    cost_ = INT64_MAX;
    contexts_ = {};
    words_ = {};
    return;
  }
  takers_.resize(program.num_classes() * num_words_);
  for (uint32_t node = 0; node < program.start(); ++node) {
    program.classes().for_each(program.set(node), [&](uint32_t c) { set_bit(&takers_[c * num_words_], node); });
  }
}

bool SetSteps::add_contexts(const Program& program, const std::vector<Edges>& edges) {
  for (const Edges& context : edges) {
    std::vector<std::vector<uint32_t>> targets(program.num_nodes());
    for (uint32_t node = 0; node < program.num_nodes(); ++node) {
      for (uint32_t k = context.begins[node]; k < context.begins[node + 1]; ++k) {
        const uint32_t target = context.targets[k];
        direction_ == Direction::kForward ? targets[node].push_back(target) : targets[target].push_back(node);
      }
    }
    if (!add_context(targets)) return false;
  }
  return true;
}

// Adds the words [first_word, first_word + num_words) of a set.
size_t SetSteps::add_set(const std::vector<uint32_t>& nodes, size_t first_word, size_t num_words) {
  const size_t at = words_.size();
  words_.resize(at + num_words);
  for (const uint32_t node : nodes) set_bit(&words_[at], static_cast<int64_t>(node - first_word * kWordBits));
  return at;
}

// Returns false if the steps cost too much.
bool SetSteps::add_context(const std::vector<std::vector<uint32_t>>& targets) {
  std::vector<uint32_t> to_next, to_itself, to_goal;
  std::map<std::vector<uint32_t>, std::vector<uint32_t>> others;  // by their targets
  for (uint32_t node = 0; node < targets.size(); ++node) {
    std::vector<uint32_t> left;
    for (const uint32_t target : targets[node]) {
      if (target == goal_) {
        to_goal.push_back(node);
      } else if (target == node) {
        to_itself.push_back(node);
      } else if (direction_ == Direction::kForward ? target == node + 1 : target + 1 == node) {
        to_next.push_back(node);
      } else {
        left.push_back(target);
      }
    }
    if (left.empty()) continue;
    std::sort(left.begin(), left.end());
    others[left].push_back(node);
  }
  const auto add_all = [&](const std::vector<uint32_t>& nodes) { return add_set(nodes, 0, num_words_); };
  Context context{add_all(to_next), add_all(to_itself), add_all(to_goal), {}};
  auto cost = static_cast<int64_t>(4 * num_words_);
  for (const auto& [to, from] : others) {
    const auto word = [](uint32_t node) { return static_cast<uint32_t>(node / kWordBits); };
    EdgeRun block{word(from.front()), word(from.back()) + 1, word(to.front()), word(to.back()) + 1, 0, 0};
    const uint32_t num_from = block.last_from - block.first_from, num_to = block.last_to - block.first_to;
    cost += 2 + num_from + num_to;
    if (cost > max_cost_ || words_.size() > kMaxWords) return false;
    block.from = add_set(from, block.first_from, num_from);
    block.to = add_set(to, block.first_to, num_to);
    context.blocks.push_back(block);
  }
  cost_ = std::max(cost_, cost);
  contexts_.push_back(std::move(context));
  return true;
}

bool SetSteps::step(const uint64_t* from, uint32_t context, uint32_t c, uint64_t* to) const {
  const uint64_t* const takers = &takers_[c * num_words_];
  const Context& edges = contexts_[context];
  const uint64_t* const to_next = &words_[edges.to_next];
  const uint64_t* const to_itself = &words_[edges.to_itself];
  const uint64_t* const to_goal = &words_[edges.to_goal];
  uint64_t at_goal = 0;
  if (direction_ == Direction::kForward) {
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
  for (const EdgeRun& block : edges.blocks) {
    uint64_t any = 0;
    const uint64_t* words = &words_[block.from];
    for (uint32_t w = block.first_from; w < block.last_from; ++w) any |= from[w] & *words++;
    if (any == 0) continue;
    words = &words_[block.to];
    for (uint32_t w = block.first_to; w < block.last_to; ++w) to[w] |= *words++;
  }
  for (size_t w = 0; w < num_words_; ++w) to[w] &= takers[w];
  return at_goal != 0;
}

}  // namespace stringops
