// Dividing the strings of a span among tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"

namespace stringops::kernels {

// A position between two bytes of a span: before byte `skip` of the string with flat index `index`. A cutter that
// limits the cuts of a string notes how many of them come before.
struct Position {
  int64_t index = 0;
  int64_t skip = 0;
  int64_t cuts = 0;
};

constexpr bool operator<(const Position& a, const Position& b) {
  return a.index != b.index ? a.index < b.index : a.skip < b.skip;
}

// Task t has the strings from begin(t) to end(t).
struct Partition {
  static constexpr int64_t kMaxTasks = 256;

  std::vector<Position> positions;  // one more than tasks
  int64_t tasks = 1;

  const Position& begin(int64_t task) const { return positions[static_cast<size_t>(task)]; }
  const Position& end(int64_t task) const { return positions[static_cast<size_t>(task) + 1]; }

  // The strings of a task whose ends do not divide strings.
  int64_t first(int64_t task) const { return begin(task).index; }
  int64_t last(int64_t task) const { return end(task).index; }
};

// Tasks of about equal numbers of bytes, at the ends of strings, or inside strings of many blocks if `inside_strings`.
Partition divide_evenly(const StringSpan& span, int64_t tasks, bool inside_strings);

}  // namespace stringops::kernels
