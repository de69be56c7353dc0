#include "regex/closure.h"

#include <algorithm>

namespace stringops {

// A list of alternatives is a chain of instructions that the program emits, of which the first one gets all
// alternatives as neighbours.
Closure::Closure(const Program& program, Direction direction)
    : program_(program), begins_(program.code().size() + 1), visited_(program.code().size()) {
  using Op = Instruction::Op;
  const std::vector<Instruction>& code = program.code();
  std::vector<uint32_t> num_before(code.size());
  const auto for_each_next = [&](uint32_t pc, const auto& f) {
    if (code[pc].op == Op::kMatch || code[pc].op == Op::kFail) return;
    f(code[pc].next);
    if (code[pc].op == Op::kEither) f(code[pc].other);
  };
  for (uint32_t pc = 0; pc < code.size(); ++pc) for_each_next(pc, [&](uint32_t next) { ++num_before[next]; });
  // Whether an instruction is reached from the one before it in a chain alone.
  const auto is_link = [&](uint32_t pc) { return code[pc].op == Op::kEither && num_before[pc] == 1; };
  std::vector<bool> is_linked(code.size());
  for (const Instruction& i : code) {
    if (i.op == Op::kEither && is_link(i.other)) is_linked[i.other] = true;
  }
  const auto for_each_step = [&](const auto& f) {
    for (uint32_t pc = 0; pc < code.size(); ++pc) {
      if (is_linked[pc]) continue;
      uint32_t last = pc;
      for (; code[last].op == Op::kEither && is_linked[code[last].other]; last = code[last].other) {
        f(pc, code[last].next);
      }
      for_each_next(last, [&](uint32_t next) { f(pc, next); });
    }
  };
  const bool is_forward = direction == Direction::kForward;
  for_each_step([&](uint32_t from, uint32_t to) { ++begins_[(is_forward ? from : to) + 1]; });
  for (size_t pc = 0; pc + 1 < begins_.size(); ++pc) begins_[pc + 1] += begins_[pc];
  neighbours_.resize(begins_.back());
  std::vector<uint32_t> ends = begins_;
  for_each_step(
      [&](uint32_t from, uint32_t to) { neighbours_[ends[is_forward ? from : to]++] = is_forward ? to : from; });
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (begins_[pc + 1] - begins_[pc] > kMany) add_classes(pc);
  }
}

void Closure::add_classes(uint32_t pc) {
  constexpr size_t kMaxClasses = 1 << 18;  // of all neighbours
  const CodepointClasses& classes = program_.classes();
  ByClass found;
  for (uint32_t k = begins_[pc]; k < begins_[pc + 1]; ++k) {
    const Instruction& i = program_.code()[neighbours_[k]];
    if (i.op != Instruction::Op::kSet) {
      found.others.push_back(k);
      continue;
    }
    num_classes_ += classes.count(i.arg);
    if (num_classes_ > kMaxClasses) return;
    classes.for_each(i.arg, [&](uint32_t c) { found.nodes.emplace_back(c, k); });
  }
  std::sort(found.nodes.begin(), found.nodes.end());
  by_class_.emplace(pc, std::move(found));
}

void Closure::push_by_class(const ByClass& neighbours, uint32_t passed) {
  const auto begin = std::lower_bound(neighbours.nodes.begin(), neighbours.nodes.end(), std::pair(class_, uint32_t{0}));
  auto node = std::lower_bound(begin, neighbours.nodes.end(), std::pair(class_ + 1, uint32_t{0}));
  auto other = neighbours.others.end();
  while (node > begin || other > neighbours.others.begin()) {
    const bool is_node = other == neighbours.others.begin() || (node > begin && node[-1].second > other[-1]);
    push(neighbours_[is_node ? (--node)->second : *--other], passed);
  }
}

void Closure::begin(uint64_t truth, int64_t limit, uint32_t c) {
  truth_ = truth;
  limit_ = limit;
  class_ = c;
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
