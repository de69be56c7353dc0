#include "regex/closure.h"

#include <algorithm>

namespace stringops {

Closure::Closure(const Program& program, Direction direction)
    : program_(program), begins_(program.code().size() + 1), visited_(program.code().size()) {
  const auto for_each_step = [&](const auto& f) {
    for (uint32_t pc = 0; pc < program.code().size(); ++pc) {
      const Instruction& i = program.code()[pc];
      if (i.op == Instruction::Op::kMatch || i.op == Instruction::Op::kFail) continue;
      const bool is_forward = direction == Direction::kForward;
      is_forward ? f(pc, i.next) : f(i.next, pc);
      if (i.op != Instruction::Op::kEither) continue;
      is_forward ? f(pc, i.other) : f(i.other, pc);
    }
  };
  for_each_step([&](uint32_t from, uint32_t) { ++begins_[from + 1]; });
  for (size_t pc = 0; pc + 1 < begins_.size(); ++pc) begins_[pc + 1] += begins_[pc];
  neighbours_.resize(begins_.back());
  std::vector<uint32_t> ends = begins_;
  for_each_step([&](uint32_t from, uint32_t to) { neighbours_[ends[from]++] = to; });
}

void Closure::begin(uint64_t truth, int64_t limit) {
  truth_ = truth;
  limit_ = limit;
  num_visited_ = 0;
  if (++now_ == 0) {
    std::fill(visited_.begin(), visited_.end(), 0);
    now_ = 1;
  }
}

const std::vector<uint32_t>& Closure::borders() {
  borders_.clear();
  for (uint32_t k = last_passed_; k != 0; k = passed_[k].before) borders_.push_back(passed_[k].border);
  std::reverse(borders_.begin(), borders_.end());
  return borders_;
}

}  // namespace stringops
