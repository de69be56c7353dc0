// Strings taken from other strings: at positions, where a mask is true, or all strings of several tensors.
//
// A selection lists runs of adjacent strings. A block of runs is read in steps, each of which prefetches what the next
// one reads (offsets, then bytes), since random access to tens of MB would otherwise wait for one string at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/prefetch.h"
#include "driver/gather_writer.h"
#include "driver/two_pass.h"
#include "kernels/gather_selections.h"

namespace stringops::kernels {

// Appends what a selection lists, in blocks of at most kMaxRuns runs.
template <class Selection>
class GatherBlocks {
 public:
  explicit GatherBlocks(GatherWriter& writer) : writer_(writer) {}

  void operator()(const AdjacentRun& run) {
    if (Selection::kSingle && run.count > 1) {
      flush();
      writer_.append(&run, 1);
      return;
    }
    if (!Selection::kInOrder) prefetch(run.offsets);
    runs_[n_++] = run;
    if (n_ == kMaxRuns) flush();
  }

  void operator()(const StringRanges& ranges) {
    flush();
    writer_.append_ranges(ranges, kScattered);
  }

  void flush() {
    if (kScattered) prefetch_first(runs_, n_);
    Selection::kSingle ? writer_.append_strings(runs_, n_, Selection::kInOrder) : writer_.append(runs_, n_);
    n_ = 0;
  }

 private:
  static constexpr bool kScattered = Selection::kSingle && !Selection::kInOrder;

  GatherWriter& writer_;
  int64_t n_ = 0;
  AdjacentRun runs_[kMaxRuns];
};

// check(selected) throws if a task has found an error. Malformed offsets are errors of `check_unchanged`, since most
// callers have checked them. allocate(num_strings, num_bytes) -> GatherOutput.
template <class Selection, class Check, class Allocate>
void gather_strings(const char* op, const Runner& runner, double ns, const Selection& selection, Check&& check,
                    Allocate&& allocate) {
  const EvenTasks tasks{selection.num_items(), runner.choose_tasks(ns)};
  std::vector<Selected> selected(static_cast<size_t>(tasks.tasks));
  std::vector<int64_t> first_strings(selected.size() + 1);
  const auto first_bytes = measure_tasks(
      op, runner, tasks.tasks,
      [&](int64_t t) {
        selected[static_cast<size_t>(t)] = measure(selection, tasks.begin(t), tasks.begin(t + 1));
        return selected[static_cast<size_t>(t)].bytes;
      },
      [&](size_t t) {
        check(selected[t]);
        check_unchanged(op, !selected[t].bad_offsets);
        first_strings[t + 1] = first_strings[t] + selected[t].strings;
      });
  const GatherOutput out = allocate(first_strings.back(), first_bytes.back());
  write_tasks(op, runner, tasks.tasks, [&](int64_t task) {
    const auto t = static_cast<size_t>(task);
    GatherWriter writer(out, {first_bytes[t], first_bytes[t + 1], first_strings[t], first_strings[t + 1]});
    GatherBlocks<Selection> blocks(writer);
    selection.for_each_run(tasks.begin(task), tasks.begin(task + 1), blocks);
    blocks.flush();
    return writer.complete();
  });
}

}  // namespace stringops::kernels
