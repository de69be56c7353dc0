// Finds, by reading a text backward, what can still match from each position.
//
// States are kept at the ends of blocks; those inside of a block are found again when they are needed. A text of n
// bytes has about as many blocks as states are kept of a block, so that there are O(sqrt(n)).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/testing.h"
#include "regex/automaton.h"
#include "regex/set_dfa.h"

namespace stringops {

class LookBack {
 public:
  static constexpr int64_t kStep = block_size(8, 4);

  // alive() is known at each multiple of `distance`: kStep, or 1.
  LookBack(const Automaton& automaton, int64_t distance, bool by_closure)
      : automaton_(automaton), dfa_(automaton.program, automaton.backward, true, by_closure), distance_(distance) {}

  // Reads text[from, to), of a text of `size` bytes. Matches end there at the latest. Without `finds_begins`, the first
  // bytes are read only when alive() needs them, and next_begin() must not be called.
  void read(const uint8_t* text, int64_t from, int64_t to, int64_t size, bool finds_begins);
  int64_t from() const { return from_; }

  // The first position at or after `at` where a match begins; -1 if there is none.
  int64_t next_begin(int64_t at) const;

  // The words of a set: a match has to be at one of its nodes when it has taken the code point that contains byte `at`,
  // a multiple of the distance.
  const uint64_t* alive(int64_t at);

 private:
  using Transition = SetDfa::Transition;
  static constexpr int64_t kMinBlock = block_size(1024, 8);

  // A state between code points.
  struct State {
    int64_t at;
    uint16_t kind;
  };
  struct Block {
    int64_t index = -1;
    std::vector<uint64_t> nodes;  // at every multiple of the distance
  };

  const Block& block(int64_t index);

  const Automaton& automaton_;
  SetDfa dfa_;
  const int64_t distance_;
  int64_t block_size_ = kMinBlock;
  const uint8_t* text_ = nullptr;
  int64_t from_ = 0, size_ = 0;
  std::vector<uint64_t> begins_;  // a bit for each position from from_ on, where matches begin
  std::vector<State> states_;     // at the end of each block, the last one first
  std::vector<uint64_t> nodes_;   // of these
  std::array<Block, 2> blocks_;   // those that were needed last
};

}  // namespace stringops
