// Follows the empty steps of a program from node to node, in the order in which a backtracking engine tries them.
//
// Within a step of a set of nodes each instruction is visited once, as another path through it leads to the same
// nodes. So a step takes at most as long as the program has instructions, however many edges its automaton has.
#pragma once

#include <cstdint>
#include <vector>

#include "regex/program.h"

namespace stringops {

enum class Direction : uint8_t { kForward, kBackward };

// On one thread at a time.
class Closure {
 public:
  Closure(const Program& program, Direction direction);

  // Begins a step between code points where assertions hold as in `truth` (Program::truth), or all of them. It may
  // visit `limit` instructions.
  void begin(uint64_t truth, int64_t limit = INT64_MAX);
  static constexpr uint64_t kAllHold = ~uint64_t{0};

  // Calls take(node) for each node that is reached from `node` by empty steps, and was not reached in this step before,
  // until it returns false. Returns whether it never did, and the limit was not exceeded.
  template <class Take>
  bool follow(uint32_t node, const Take& take);

  // The borders of groups that are passed on the way to the node that was taken last, in their order (forward).
  const std::vector<uint32_t>& borders();

  int64_t num_visited() const { return num_visited_; }
  bool is_exceeded() const { return num_visited_ > limit_; }

 private:
  struct Reached {
    uint32_t pc, passed;
  };
  // A border on a way, with the one before it.
  struct Passed {
    uint32_t before, border;
  };

  // Continues at what is next to an instruction, the preferred one on top of the stack.
  void push_neighbours(uint32_t pc, uint32_t passed) {
    for (uint32_t k = begins_[pc + 1]; k > begins_[pc]; --k) {
      if (visited_[neighbours_[k - 1]] != now_) stack_.push_back({neighbours_[k - 1], passed});
    }
  }

  const Program& program_;
  std::vector<uint32_t> begins_, neighbours_;  // of each instruction
  std::vector<uint32_t> visited_;              // of each instruction, the step
  uint32_t now_ = 0;
  uint64_t truth_ = 0;
  int64_t num_visited_ = 0, limit_ = 0;
  std::vector<Reached> stack_;
  std::vector<Passed> passed_;  // the first one stands for none
  uint32_t last_passed_ = 0;
  std::vector<uint32_t> borders_;
};

template <class Take>
bool Closure::follow(uint32_t node, const Take& take) {
  stack_.clear();
  passed_.resize(1);
  push_neighbours(program_.pc(node), 0);
  while (!stack_.empty()) {
    const auto [pc, passed] = stack_.back();
    stack_.pop_back();
    if (visited_[pc] == now_) continue;
    visited_[pc] = now_;
    if (++num_visited_ > limit_) return false;
    const Instruction& i = program_.code()[pc];
    switch (i.op) {
      case Instruction::Op::kEither:
        push_neighbours(pc, passed);
        break;
      case Instruction::Op::kAssertion:
        if (truth_ >> i.arg & 1) push_neighbours(pc, passed);
        break;
      case Instruction::Op::kBorder:
        passed_.push_back({passed, i.arg});
        push_neighbours(pc, static_cast<uint32_t>(passed_.size() - 1));
        break;
      case Instruction::Op::kFail:
        break;
      default:
        last_passed_ = passed;
        if (!take(program_.node(pc))) return false;
    }
  }
  return true;
}

}  // namespace stringops
