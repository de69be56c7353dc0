// The reverse pass: finds, by reading a text backward, what can still match from each position.
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
  static constexpr int kStepBits = static_cast<int>(block_size(3, 2));
  static constexpr int64_t kStep = int64_t{1} << kStepBits;

  // alive() is known at each multiple of kStep, or at each byte.
  LookBack(const Automaton& automaton, bool at_each_byte, bool by_closure)
      : automaton_(automaton),
        dfa_(automaton.program, automaton.backward, true, by_closure),
        distance_bits_(at_each_byte ? 0 : kStepBits) {}

  // Reads text[from, to), of a text of `size` bytes. Matches end there at the latest. Without `finds_begins`, the first
  // bytes are read only when alive() needs them, and next_begin() must not be called.
  void read(const uint8_t* text, int64_t from, int64_t to, int64_t size, bool finds_begins);
  int64_t from() const { return from_; }

  // The first position at or after `at` where a match begins; -1 if there is none.
  int64_t next_begin(int64_t at) const;

  // The words of a set: a match has to be at one of its nodes when it has taken the code point that contains byte `at`,
  // a multiple of the distance.
  const uint64_t* alive(int64_t at) {
    if (!blocks_[0].contains(at)) find_block(at);
    const int64_t i = (at - blocks_[0].begin) >> distance_bits_;
    return &blocks_[0].nodes[static_cast<size_t>(i) * automaton_.backward.num_words()];
  }

 private:
  using Transition = SetDfa::Transition;
  static constexpr int64_t kMinBlock = block_size(1024, 8);

  // A state between code points.
  struct Mark {
    int64_t at;
    uint16_t kind;
  };
  struct Known {
    bool contains(int64_t at) const { return begin <= at && at < end; }

    int64_t begin = 0, end = 0;
    std::vector<uint64_t> nodes;  // at every multiple of the distance
  };

  void find_block(int64_t at);

  const Automaton& automaton_;
  SetDfa dfa_;
  const int distance_bits_;
  int64_t block_size_ = kMinBlock;
  const uint8_t* text_ = nullptr;
  int64_t from_ = 0, size_ = 0;
  std::vector<uint64_t> begins_;  // a bit for each position from from_ on, where matches begin
  std::vector<Mark> states_;      // at the end of each block, the last one first
  std::vector<uint64_t> nodes_;   // of these
  std::array<Known, 2> blocks_;   // those that were needed last
};

}  // namespace stringops
