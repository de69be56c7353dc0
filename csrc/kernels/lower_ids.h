// Driver for the ids of pieces of strings in lower case. Converting to lower case takes longer than counting the pieces
// first would save, so strings are cut once, by
//
//   bool pass(text, begin, end, sink, &task)      passes the pieces to the sink; false if the cutter found an error
//
// Tasks keep the ids, which are copied when their number is known.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/testing.h"
#include "driver/ids_sink.h"
#include "kernels/lower_text.h"

namespace stringops::kernels {

// Ids whose number is not known before.
template <class Id>
class GrowingIds {
 public:
  // Room for `count` more.
  Id* add(int64_t count) {
    if (chunks_.empty() || chunks_.back().room - chunks_.back().count < count) {
      const int64_t room = std::max(count, std::clamp(2 * size_, kMinRoom, kMaxRoom));
      chunks_.push_back({std::unique_ptr<Id[]>(new Id[static_cast<size_t>(room)]), 0, room});
    }
    Chunk& chunk = chunks_.back();
    Id* const at = chunk.ids.get() + chunk.count;
    chunk.count += count;
    size_ += count;
    return at;
  }

  int64_t size() const { return size_; }

  void copy(const simd::Primitives& simd, int64_t* out) const {
    for (const Chunk& chunk : chunks_) {
      if constexpr (std::is_same_v<Id, int64_t>) {
        std::copy_n(chunk.ids.get(), chunk.count, out);
      } else {
        simd.widen(chunk.ids.get(), chunk.count, 0, out);
      }
      out += chunk.count;
    }
  }

 private:
  static constexpr int64_t kMinRoom = block_size(256, 4), kMaxRoom = block_size(1 << 16, 16);
  struct Chunk {
    std::unique_ptr<Id[]> ids;
    int64_t count, room;
  };
  std::vector<Chunk> chunks_;
  int64_t size_ = 0;
};

// Passes the pieces of the strings in lower case to the sink.
template <class Cutter, class Sink>
void pass_lower_pieces(const StringSpan& in, Position begin, Position end, const Cutter& cutter, Sink& sink,
                       typename Cutter::Task* task) {
  LowerText text(in, begin.index, end.index);
  while (text.next()) {
    if constexpr (!std::is_same_v<Sink, PieceCounter>) sink.set_upcoming(text.upcoming());
    const TextPart part{text.strings(), text.first_string(), text.are_utf8()};
    if (!cutter.pass(part, {}, {part.strings.size()}, sink, task)) return;
  }
}

// Cuts strings in lower case, which fit LowerText, and looks their pieces up. `Id` is an integer that holds all ids.
template <class Id, class Cutter, class Lookup, class Allocate>
void cut_lower_ids(const char* op, const Runner& runner, const StringSpan& in, const Cutter& cutter,
                   const Lookup& lookup, int64_t* row_splits, Allocate&& allocate) {
  const int64_t many = overlapping_tasks(in);
  const Partition partition =
      many > 0 ? divide_evenly(in, many, false, Partition::kMaxOverlapTasks)
               : divide_evenly(in, runner.choose_tasks(runner.time_of(in, cost_of_ids(cutter))), false);
  const auto tasks = static_cast<size_t>(partition.tasks);
  std::vector<typename Cutter::Task> found(tasks);
  const auto run = [&](auto&& use) {
    runner.run(partition.tasks, [&](int64_t t) { use(t, partition.begin(t), partition.end(t)); });
  };
  const auto check = [&] {
    for (const auto& task : found) cutter.check(op, task);
  };
  // Strings that overlap may have too many pieces, which are counted first. Lower case has up to 1.5 times the bytes.
  if (2 * count_bytes(in, 0, in.size()) + in.size() > kMaxOffsets) {
    std::atomic<int64_t> count{0};
    run([&](int64_t t, Position begin, Position end) {
      if (count > overlap_limit) return;
      PieceCounter counter(0, nullptr);
      pass_lower_pieces(in, begin, end, cutter, counter, &found[static_cast<size_t>(t)]);
      count += counter.pieces();
    });
    kCutIds.check(op, 0, count, overlap_limit);
    check();
  }

  std::vector<GrowingIds<Id>> ids(tasks);
  run([&](int64_t t, Position begin, Position end) {
    IdsSink sink(lookup, GrowingIds<Id>(), row_splits + 1 + begin.index);
    pass_lower_pieces(in, begin, end, cutter, sink, &found[static_cast<size_t>(t)]);
    ids[static_cast<size_t>(t)] = sink.finish();
  });
  check();
  std::vector<int64_t> first_ids{0};
  for (const GrowingIds<Id>& of_task : ids) first_ids.push_back(first_ids.back() + of_task.size());
  kCutIds.check(op, 0, first_ids.back());
  int64_t* const out = allocate(first_ids.back());
  runner.run(partition.tasks, [&](int64_t task) {
    const auto t = static_cast<size_t>(task);
    ids[t].copy(simd::primitives(), out + first_ids[t]);
    if (first_ids[t] == 0) return;
    for (int64_t i = partition.begin(task).index; i < partition.end(task).index; ++i) {
      row_splits[i + 1] += first_ids[t];
    }
  });
}

// Cuts strings and looks their pieces up, as the cut_ids of the sink; with `lower`, in lower case, for strings that fit
// LowerText.
template <class Cutter, class Lookup, class Allocate>
void cut_ids(const char* op, const Runner& runner, const StringSpan& in, bool lower, const Cutter& cutter,
             const Lookup& lookup, int64_t* row_splits, Allocate&& allocate) {
  if (!lower) return cut_ids(op, runner, in, cutter, lookup, row_splits, allocate);
  row_splits[0] = 0;
  if (lookup.has_short_ids()) return cut_lower_ids<int32_t>(op, runner, in, cutter, lookup, row_splits, allocate);
  cut_lower_ids<int64_t>(op, runner, in, cutter, lookup, row_splits, allocate);
}

}  // namespace stringops::kernels
