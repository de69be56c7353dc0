#include "regex/set_dfa.h"

#include <algorithm>

#include "core/bits.h"

namespace stringops {

SetDfa::SetDfa(const Program& program, const SetSteps& steps, bool begins_anywhere)
    : LazyDfa(program, steps.origin() == program.start()),
      steps_(steps),
      begins_anywhere_(begins_anywhere),
      num_words_(steps.num_words()),
      current_(num_words_),
      after_(num_words_) {}

void SetDfa::set_start() {
  std::fill(current_.begin(), current_.end(), 0);
  set_bit(current_.data(), steps_.origin());
  make_key(current_.data());
}

void SetDfa::copy_nodes(Transition t, uint64_t* out) const {
  const uint64_t *at = key_begin(t), *const end = key_end(t);
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

SetDfa::Transition SetDfa::find(const uint64_t* nodes, uint8_t kind) {
  make_key(nodes);
  return state_of_key(kind);
}

int64_t SetDfa::cost(Transition t, uint32_t /*c*/) const {
  return static_cast<int64_t>(num_words_) / 4 + 16 * (key_end(t) - key_begin(t));
}

SetDfa::Transition SetDfa::build(Transition t, uint32_t c) {
  copy_nodes(t, current_.data());
  const bool matches = steps_.step(current_.data(), context(t, c), c, after_.data());
  if (begins_anywhere_ && c != program_.end_class()) set_bit(after_.data(), steps_.origin());
  make_key(after_.data());
  return add(t, c, matches);
}

}  // namespace stringops
