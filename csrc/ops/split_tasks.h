// The first pass of every operator that splits strings: how the work is cut into tasks, and where each writes.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/string_split.h"
#include "ops/parallel.h"

namespace stringops {

struct SplitTasks {
  kernels::Cuts cuts;
  std::vector<kernels::SplitMeasure> tasks;
  std::vector<kernels::Share> shares;
  int64_t bytes = 0;
  int64_t pieces = 0;

  kernels::Place begin(int64_t task) const { return cuts.places[static_cast<size_t>(task)]; }
  kernels::Place end(int64_t task) const { return cuts.places[static_cast<size_t>(task) + 1]; }
};

inline SplitTasks measure_split_tasks(const StringSpan& in, const kernels::Splitter& by, int64_t* row_pieces) {
  SplitTasks m;
  m.cuts = kernels::cut_for_split(in, by, choose_tasks(strings_cost(in, 1)));
  m.tasks.resize(static_cast<size_t>(m.cuts.parts));
  parallel_tasks(m.cuts.parts,
                 [&](int64_t t) { m.tasks[t] = kernels::measure_split(in, by, m.begin(t), m.end(t), row_pieces); });
  for (const kernels::SplitMeasure& task : m.tasks) {
    m.shares.push_back({m.bytes, m.bytes + task.bytes, m.pieces, m.pieces + task.pieces});
    m.bytes += task.bytes;
    m.pieces += task.pieces;
  }
  return m;
}

}  // namespace stringops
