#include "regex/set_dfa.h"

#include <algorithm>

#include "core/bits.h"

namespace stringops {
namespace {

// Operations on words that always take less time than a closure.
constexpr int64_t kCheap = 256;

}  // namespace

SetDfa::SetDfa(const Program& program, const SetSteps& steps, bool begins_anywhere, bool by_closure)
    : LazyDfa(program, steps.direction() == Direction::kForward),
      steps_(steps),
      begins_anywhere_(begins_anywhere),
      num_words_(steps.num_words()),
      words_cost_(by_closure ? INT64_MAX : steps.cost()),
      current_(num_words_),
      after_(num_words_) {
  if (words_cost_ > kCheap) closure_.emplace(program, steps.direction());
}

void SetDfa::set_start() {
  std::fill(current_.begin(), current_.end(), 0);
  set_bit(current_.data(), steps_.origin());
  make_key(current_.data());
}

void SetDfa::copy_nodes(Transition t, uint64_t* out) const {
  const uint64_t *at = key_begin(t), *const end = key_end(t);
  if (end - at == 1) {  // without a call
    *out = *at;
    return;
  }
  if (!is_compact()) {
    std::copy(at, end, out);
    return;
  }
  std::fill(out, out + num_words_, 0);
  for (; at < end; at += 2) out[at[0]] = at[1];
}

bool SetDfa::has_some(Transition t, const uint64_t* nodes) const {
  const uint64_t *at = key_begin(t), *const end = key_end(t);
  uint64_t both = 0;
  if (is_compact()) {
    for (; at < end; at += 2) both |= nodes[at[0]] & at[1];
  } else {
    for (; at < end; ++at) both |= *nodes++ & *at;
  }
  return both != 0;
}

void SetDfa::make_key(const uint64_t* nodes) {
  key_.clear();
  uint64_t any = 0;
  for (size_t w = 0; w < num_words_; ++w) {
    any |= nodes[w];
    if (is_compact() && nodes[w] != 0) {
      key_.push_back(w);
      key_.push_back(nodes[w]);
    }
  }
  if (any != 0 && !is_compact()) key_.assign(nodes, nodes + num_words_);
}

SetDfa::Transition SetDfa::find(const uint64_t* nodes, uint16_t kind) {
  make_key(nodes);
  return state_of_key(kind);
}

// Steps from current_ to after_ from node to node. Returns whether the goal is reached, and nothing once that has
// visited more than `limit` instructions.
std::optional<bool> SetDfa::step_by_closure(uint32_t context, uint32_t c, int64_t limit) {
  std::fill(after_.begin(), after_.end(), 0);
  closure_->begin(program_.truth(context), limit, c);
  bool matches = false;
  for_each_bit(current_.data(), static_cast<int64_t>(num_words_), [&](int64_t node) {
    if (closure_->is_exceeded()) return;
    closure_->follow(static_cast<uint32_t>(node), [&](uint32_t target) {
      if (target == steps_.goal()) {
        matches = true;
      } else if (target < program_.start() && c != program_.end_class() && program_.takes(target, c)) {
        set_bit(after_.data(), target);
      }
      return true;
    });
  });
  pace_.spend(closure_->num_visited());
  if (closure_->is_exceeded()) return std::nullopt;
  return matches;
}

bool SetDfa::step(uint32_t context, uint32_t c) {
  if (words_cost_ <= kCheap) return steps_.step(current_.data(), context, c, after_.data());
  const int64_t limit = words_cost_ < INT64_MAX ? words_cost_ / kOperationsPerVisit : INT64_MAX;
  if (const auto matches = step_by_closure(context, c, limit)) return *matches;
  pace_.spend(words_cost_);
  return steps_.step(current_.data(), context, c, after_.data());
}

SetDfa::Transition SetDfa::build(Transition t, uint32_t c) {
  copy_nodes(t, current_.data());
  const bool matches = step(context(t, c), c);
  if (begins_anywhere_ && c != program_.end_class()) set_bit(after_.data(), steps_.origin());
  make_key(after_.data());
  return add(t, c, matches);
}

}  // namespace stringops
