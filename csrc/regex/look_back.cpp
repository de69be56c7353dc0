#include "regex/look_back.h"

#include <algorithm>
#include <utility>

#include "core/bits.h"

namespace stringops {

// Blocks are numbered from the begin of the text. states_[k] is the first state that is at or before the end of block
// last - k, read from the right.
void LookBack::read(const uint8_t* text, int64_t from, int64_t size) {
  text_ = text;
  from_ = from;
  size_ = size;
  begins_.assign(static_cast<size_t>(words_for(size - from + 1)), 0);
  states_.clear();
  nodes_.clear();
  for (Block& b : blocks_) b.index = -1;

  const Program& program = automaton_.program;
  const CodepointClasses& classes = program.classes();
  const size_t num_words = automaton_.backward.num_words();
  const auto set_begin = [&](int64_t at, Transition t) {
    const auto i = static_cast<size_t>(at - from);
    begins_[i / kWordBits] |= uint64_t{SetDfa::matches(t)} << i % kWordBits;
  };
  Transition t = dfa_.start(program.kind_after(program.end_class()));
  int64_t at = size;
  for (int64_t end = (size + kBlock - 1) / kBlock * kBlock; at > from; end -= kBlock) {
    states_.push_back({at, dfa_.kind(t)});
    nodes_.resize(nodes_.size() + num_words);
    dfa_.copy_nodes(t, &nodes_[nodes_.size() - num_words]);
    const int64_t stop = std::max(from, end - kBlock);
    while (at > stop) {
      int64_t length = 1;
      const uint32_t c = classes.before(text, text + at, &length);
      const Transition before = dfa_.next(t, c);
      set_begin(at, before);
      t = before;
      at -= length;
    }
  }
  int64_t ignored = 0;
  const uint32_t c = from == 0 ? program.end_class() : classes.before(text, text + from, &ignored);
  set_begin(from, dfa_.next(t, c));
}

int64_t LookBack::next_begin(int64_t at) const {
  auto i = static_cast<size_t>(at - from_);
  size_t w = i / kWordBits;
  if (w >= begins_.size()) return -1;
  uint64_t bits = begins_[w] >> i % kWordBits << i % kWordBits;
  while (bits == 0) {
    if (++w == begins_.size()) return -1;
    bits = begins_[w];
  }
  return from_ + static_cast<int64_t>(w) * kWordBits + first_bit(bits);
}

const LookBack::Block& LookBack::block(int64_t index) {
  if (blocks_[0].index == index) return blocks_[0];
  std::swap(blocks_[0], blocks_[1]);
  if (blocks_[0].index == index) return blocks_[0];

  Block& block = blocks_[0];
  block.index = index;
  const size_t num_words = automaton_.backward.num_words();
  block.nodes.assign(static_cast<size_t>(kBlock / kStep) * num_words, 0);
  const int64_t last = (size_ + kBlock - 1) / kBlock - 1;
  const auto k = static_cast<size_t>(last - index);
  Transition t = dfa_.find(&nodes_[k * num_words], states_[k].kind);
  int64_t at = states_[k].at;
  int64_t step = (index + 1) * kBlock - kStep;
  if (step >= size_) step = (size_ - 1) / kStep * kStep;
  for (const int64_t stop = std::max(from_, index * kBlock); at > stop;) {
    int64_t length = 1;
    const uint32_t c = automaton_.program.classes().before(text_, text_ + at, &length);
    t = dfa_.next(t, c);
    at -= length;
    if (at > step) continue;
    dfa_.copy_nodes(t, &block.nodes[static_cast<size_t>((step - index * kBlock) / kStep) * num_words]);
    step -= kStep;
  }
  return block;
}

const uint64_t* LookBack::alive(int64_t at) {
  const int64_t index = at / kBlock;
  return &block(index).nodes[static_cast<size_t>((at - index * kBlock) / kStep) * automaton_.backward.num_words()];
}

}  // namespace stringops
