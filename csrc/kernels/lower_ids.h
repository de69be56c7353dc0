// Ids of pieces of strings in lower case. Converting to lower case takes longer than counting the pieces first would
// save, so strings are cut once, and tasks keep the ids (driver/buffered.h). A cutter has
//
//   bool pass(text, begin, end, sink, &task)      passes the pieces to the sink; false if the cutter found an error
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/testing.h"
#include "driver/buffered.h"
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

// Passes the pieces of strings [first, last) in lower case to the sink.
template <class Cutter, class Sink>
void pass_lower_pieces(const StringSpan& in, int64_t first, int64_t last, const Cutter& cutter, Sink& sink,
                       typename Cutter::Task* task) {
  LowerText text(in, first, last);
  while (text.next()) {
    sink.set_upcoming(text.upcoming());
    const TextPart part{text.strings(), text.first_string(), text.are_utf8()};
    if (!cutter.pass(part, {}, {part.strings.size()}, sink, task)) return;
  }
}

// Cuts strings in lower case, which fit LowerText, and looks their pieces up. `Id` is an integer that holds all ids.
template <class Id, class Cutter, class Lookup, class Allocate>
void cut_lower_ids(const char* op, const Runner& runner, const StringSpan& in, const Cutter& cutter,
                   const Lookup& lookup, int64_t* row_splits, Allocate&& allocate) {
  StringTasks tasks = divide_strings(in, runner, cost_of_ids(cutter));
  // The ids may be too many to be kept, as those of strings that overlap: lower case has up to 1.5 times the bytes.
  tasks.overlap |= 2 * count_bytes(in, 0, in.size()) + in.size() > kMaxOffsets;
  struct Kept {
    typename Cutter::Task found;
    GrowingIds<Id> ids;
  };
  const auto compute = [&](int64_t t, std::optional<Kept>& kept) {
    kept.emplace();
    IdsSink sink(lookup, GrowingIds<Id>(), row_splits + 1 + tasks.first(t));
    pass_lower_pieces(in, tasks.first(t), tasks.last(t), cutter, sink, &kept->found);
    kept->ids = sink.finish();
    return OutputSize{0, kept->ids.size()};
  };
  Buffered<Kept> buffered(op, runner, tasks, kCutIds, compute, [&](const Kept& kept) { cutter.check(op, kept.found); });
  int64_t* const out = allocate(buffered.size().pieces);
  buffered.write(compute, [&](int64_t t, const Kept& kept, const OutputRange& range) {
    kept.ids.copy(simd::primitives(), out + range.pieces);
    if (range.pieces == 0) return true;
    for (int64_t i = tasks.first(t); i < tasks.last(t); ++i) row_splits[i + 1] += range.pieces;
    return true;
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
