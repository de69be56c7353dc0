#include "regex/look_back.h"

#include <algorithm>
#include <utility>

#include "core/bits.h"

namespace stringops {

// Blocks are numbered from the begin of the text. states_[k] is the first state that is at or before the end of block
// last - k, read from the right.
void LookBack::read(const uint8_t* text, int64_t from, int64_t to, int64_t size, bool finds_begins) {
  text_ = text;
  from_ = from;
  size_ = to;
  block_size_ = kMinBlock;
  while (block_size_ >> distance_bits_ < (to - from) / block_size_) block_size_ *= 2;
  begins_.assign(finds_begins ? static_cast<size_t>(words_for(to - from + 1)) : 0, 0);
  states_.clear();
  nodes_.clear();
  for (Known& b : blocks_) b.begin = b.end = 0;

  const Program& program = automaton_.program;
  const CodepointClasses& classes = program.classes();
  const size_t num_words = automaton_.backward.num_words();
  const auto set_begin = [&](int64_t at, Transition t) {
    if (!finds_begins) return;
    const auto i = static_cast<size_t>(at - from);
    begins_[i / kWordBits] |= uint64_t{SetDfa::matches(t)} << i % kWordBits;
  };
  int64_t length = 0;
  Transition t =
      dfa_.start(program.kind_after(to == size ? program.end_class() : classes.next(text + to, text + size, &length)));
  int64_t at = to;
  for (int64_t end = (to + block_size_ - 1) / block_size_ * block_size_; end > from; end -= block_size_) {
    states_.push_back({at, dfa_.kind(t)});
    nodes_.resize(nodes_.size() + num_words);
    dfa_.copy_nodes(t, &nodes_[nodes_.size() - num_words]);
    const int64_t stop = std::max(from, end - block_size_);
    if (stop == from && !finds_begins) return;
    while (at > stop) {
      const uint32_t c = classes.before(text, text + at, &length);
      const Transition before = dfa_.next(t, c);
      set_begin(at, before);
      t = before;
      at -= length;
    }
  }
  const uint32_t c = classes.class_before(text, text + from, program.end_class());
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

// Makes the block that contains `at` the first one.
void LookBack::find_block(int64_t at) {
  std::swap(blocks_[0], blocks_[1]);
  if (blocks_[0].contains(at)) return;

  Known& block = blocks_[0];
  const int64_t index = at / block_size_, distance = int64_t{1} << distance_bits_;
  block.begin = index * block_size_;
  block.end = std::min(size_, block.begin + block_size_);
  const size_t num_words = automaton_.backward.num_words();
  const auto num_kept = static_cast<size_t>((block.end - block.begin + distance - 1) >> distance_bits_);
  if (block.nodes.size() < num_kept * num_words) block.nodes.resize(num_kept * num_words);
  const int64_t last = (size_ + block_size_ - 1) / block_size_ - 1;
  const auto k = static_cast<size_t>(last - index);
  Transition t = dfa_.find(&nodes_[k * num_words], states_[k].kind);
  at = states_[k].at;
  int64_t step = block.begin + static_cast<int64_t>(num_kept - 1) * distance;
  uint64_t* nodes = block.nodes.data() + num_kept * num_words;
  const int64_t stop = std::max(from_, block.begin);
  while (true) {
    for (; step >= std::max(at, stop); step -= distance) dfa_.copy_nodes(t, nodes -= num_words);
    if (at <= stop) break;
    int64_t length = 1;
    const uint32_t c = automaton_.program.classes().before(text_, text_ + at, &length);
    t = dfa_.next(t, c);
    at -= length;
  }
}

}  // namespace stringops
