#include "regex/one_pass.h"

#include <algorithm>

namespace stringops {
namespace {

constexpr size_t kMaxEntries = 1 << 16;

}  // namespace

std::unique_ptr<const OnePass> OnePass::compile(const Program& program) {
  if (!program.has_captures()) return nullptr;
  std::unique_ptr<OnePass> one_pass(new OnePass(program));
  return one_pass->fill() ? std::move(one_pass) : nullptr;
}

bool OnePass::fill() {
  const uint32_t num_classes = program_.num_classes(), end = program_.end_class();
  for (uint32_t c = 0; c < num_classes; ++c) {
    num_kinds_ = std::max(num_kinds_, uint32_t{program_.kind_before(c)} + 1);
  }
  const size_t num_rows = size_t{num_kinds_} * (program_.start() + 1);
  if (num_rows * num_classes > kMaxEntries) return false;
  entries_.resize(num_rows * num_classes);
  for (uint32_t row = 0; row < num_rows; ++row) {
    const uint32_t node = row < num_kinds_ ? program_.start() : row / num_kinds_ - 1;
    const auto kind = static_cast<uint8_t>(row % num_kinds_);
    for (uint32_t c = 0; c < num_classes; ++c) {
      Entry& entry = entries_[size_t{row} * num_classes + c];
      const Edges& edges = program_.edges()[program_.context(kind, program_.kind_after(c))];
      for (uint32_t k = edges.begins[node]; k < edges.begins[node + 1]; ++k) {
        const uint32_t target = edges.targets[k];
        if (target == program_.accept()) {
          entry.can_end = true;
          entry.captures_at_end = edges.captures[k];
        } else if (c != end && program_.takes(target, c)) {
          if (entry.row != 0) return false;
          entry.row = (target + 1) * num_kinds_ + program_.kind_before(c);
          entry.captures = edges.captures[k];
        }
      }
    }
  }
  return true;
}

bool OnePass::capture(const uint8_t* text, int64_t size, Match* groups, int64_t count) const {
  const CodepointClasses& classes = program_.classes();
  const uint32_t num_classes = program_.num_classes(), end_class = program_.end_class();
  std::fill(groups + 1, groups + count, Match{-1, -1});
  uint32_t row = program_.kind_before(classes.class_before(text, text + groups->begin, end_class));
  for (int64_t at = groups->begin;;) {
    int64_t length = 1;
    const uint32_t c = at == size ? end_class : classes.next(text + at, text + size, &length);
    const Entry& entry = entries_[size_t{row} * num_classes + c];
    if (at == groups->end) {
      if (entry.can_end) set_borders(program_, entry.captures_at_end, at, groups, count);
      return entry.can_end;
    }
    if (entry.row == 0 || at > groups->end) return false;
    if (entry.captures != 0) set_borders(program_, entry.captures, at, groups, count);
    row = entry.row;
    at += length;
  }
}

}  // namespace stringops
