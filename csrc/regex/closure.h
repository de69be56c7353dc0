// The epsilon closure: follows the empty steps of a program from node to node, in the order in which a backtracking
// engine tries them.
//
// Within a step of a set of nodes each instruction is visited once, as another path through it leads to the same
// nodes. So a step takes at most as long as the program has instructions, however many edges its automaton has.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "regex/program.h"

namespace stringops {

enum class Direction : uint8_t { kForward, kBackward };

// On one thread at a time.
class Closure {
 public:
  Closure(const Program& program, Direction direction);

  // Begins a step between code points where assertions hold as in `truth` (Program::truth), or all of them. It may
  // visit `limit` instructions, and may leave out nodes that do not take a code point of class c, if that is not kAny.
  void begin(uint64_t truth, int64_t limit = INT64_MAX, uint32_t c = kAny);
  static constexpr uint64_t kAllHold = ~uint64_t{0};
  static constexpr uint32_t kAny = UINT32_MAX;

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

  // The neighbours of an instruction that has many, as numbers in neighbours_, in order: those of nodes by the classes
  // that they take, and all others.
  struct ByClass {
    std::vector<std::pair<uint32_t, uint32_t>> nodes;  // a class, and a number
    std::vector<uint32_t> others;
  };

  void add_classes(uint32_t pc);
  void push_by_class(const ByClass& neighbours, uint32_t passed);

  void push(uint32_t pc, uint32_t passed) {
    if (visited_[pc] != now_) stack_.push_back({pc, passed});
  }

  // Continues at what is next to an instruction, the preferred one on top of the stack.
  void push_neighbours(uint32_t pc, uint32_t passed) {
    if (begins_[pc + 1] - begins_[pc] > kMany && class_ != kAny) {
      const auto found = by_class_.find(pc);
      if (found != by_class_.end()) return push_by_class(found->second, passed);
    }
    for (uint32_t k = begins_[pc + 1]; k > begins_[pc]; --k) push(neighbours_[k - 1], passed);
  }

  static constexpr uint32_t kMany = 16;

  const Program& program_;
  std::vector<uint32_t> begins_, neighbours_;  // of each instruction
  std::unordered_map<uint32_t, ByClass> by_class_;
  size_t num_classes_ = 0;         // in by_class_
  std::vector<uint32_t> visited_;  // of each instruction, the step
  uint32_t now_ = 0;
  uint32_t class_ = kAny;
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
