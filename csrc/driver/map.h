// string -> string: the driver of every operator that maps each string to one string. A functor has
//
//   static constexpr Cost kCost                     what it takes (driver/runner.h)
//   StringView piece(in) const                      the part of `in` that the result is a copy of. And optionally:
//   bool find_pieces(block, pieces) const           sets pieces[k] for strings k of a block (split/blocks.h), except
//                                                   one that continues, or returns false. Or:
//   void find_changes(in, begins, ends, count, out) const   sets out[k] to whether the part of string k, from begins[k]
//                                                   to ends[k], may be less than all of it. Or:
//   bool edit(in, vector<uint8_t>& out) const       sets `out` to the result and returns true, or returns false if the
//                                                   result is `in`; called in both passes. And:
//   bool keeps(bytes) const                         whether all strings of these bytes stay as they are. Or:
//   static constexpr bool kNeedsLength = true       whether results depend on the length in code points. If so:
//   bool needs_length(num_bytes) const              false if any length of strings of so many bytes will do
//   int64_t size(num_bytes, length) const           the size of the result in bytes
//   uint8_t* write(in, length, readable_end, out, out_end) const   as below; bytes up to readable_end may be read. Or:
//   static constexpr bool kSameSize                 whether each result has the size of its string. If so:
//   void write(in, out) const                       writes in.size() bytes. Otherwise:
//   int64_t size(in) const                          the size of the result in bytes
//   uint8_t* write(in, out, out_end) const          writes the result, nothing at or past out_end; returns its end
//   bool write_run(strings, out) const              optional: tries to write many results at once (driver/map_runs.h)
//   bool keeps(bytes) const                         optional: as above; such blocks are copied (driver/changes.h)
//
// It gets one string at a time. A concurrent write may change the bytes while it reads them, but not the length.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/narrow.h"
#include "core/offsets.h"
#include "core/rows.h"
#include "driver/changes.h"
#include "driver/lengths.h"
#include "driver/map_runs.h"
#include "driver/two_pass.h"
#include "split/overlap.h"
#include "split/partition.h"

namespace stringops::kernels {

struct MapOutput {
  uint8_t* data;
  int32_t* offsets;  // [rows, cols + 1], as the input's
};

// Writes the results of strings [first, last) to bytes [at, limit). Returns false if they no longer fill these bytes.
template <class Functor>
bool map_task(const Functor& f, const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
              int64_t limit) {
  bool fits = true;
  OffsetsWriter offsets(out.offsets, in.cols, first);
  for_each_string(in, first, last, [&](int64_t, ByteRange range) {
    StringView string = in.view(range);
    const int64_t begin = at;
    if constexpr (Functor::kSameSize) {
      fits &= string.size() <= limit - at;
      string.end = string.begin + std::min(string.size(), limit - at);
      f.write(string, out.data + at);
      at += string.size();
    } else {
      at = f.write(string, out.data + at, out.data + limit) - out.data;
    }
    offsets.push(begin, at);
  });
  return fits && at == limit;
}

// Divides strings into the tasks of overlapping_tasks, if there are any, or else into those that the cost asks.
template <class ChooseTasks>
Partition divide_map(const StringSpan& in, int64_t many, ChooseTasks&& choose_tasks) {
  return many > 0 ? divide_evenly(in, many, false, Partition::kMaxOverlapTasks)
                  : divide_evenly(in, choose_tasks(), false);
}

// Rows that are adjacent as one row, with an empty string from each row to the next one; others as they are. The
// results have the same bytes and offsets if the result of an empty string is empty. Nothing is longer than the tensor
// itself.
inline StringSpan join_adjacent(const StringSpan& in) {
  if (!JoinedRows::serve(in) || in.cols == 0 || !has_contiguous_offsets(in)) return in;
  return {in.data, in.num_bytes, in.offsets, 1, in.rows * (in.cols + 1) - 1};
}

template <class Functor, class Allocate>
void map_rows(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
  const int64_t many = overlapping_tasks(in);
  const Partition partition =
      divide_map(in, many, [&] { return runner.choose_tasks(runner.time_of(in, Functor::kCost)); });
  constexpr bool kNotesChanges = kHasPiece<Functor> || kHasKeeps<Functor>;
  using Notes = std::conditional_t<kNeedsLength<Functor>, TaskLengths, TaskChanges<Functor>>;
  constexpr bool kTakesNotes = kNotesChanges || kNeedsLength<Functor>;
  std::vector<Notes> notes(kTakesNotes ? static_cast<size_t>(partition.tasks) : 0);
  [[maybe_unused]] RunEnds run_ends(kHasRuns<Functor> ? static_cast<size_t>(partition.tasks) : 0);
  if constexpr (kHasRuns<Functor>) {
    if (map_in_one_pass(runner, f, in, partition, allocate, run_ends)) return;
  }
  const std::vector<int64_t> first_bytes = measure_tasks(
      op, runner, partition.tasks,
      [&](int64_t t) {
        int64_t first = partition.begin(t).index, bytes = 0;
        const int64_t last = partition.end(t).index;
        if constexpr (kHasRuns<Functor>) {
          const int64_t same = run_ends[static_cast<size_t>(t)];
          bytes = count_bytes(in, first, same);
          first = same;
        }
        if constexpr (kTakesNotes) {
          bytes = notes[static_cast<size_t>(t)].measure(f, in, first, last);
        } else if constexpr (Functor::kSameSize) {
          bytes += count_bytes(in, first, last);
        } else {
          for_each_string(in, first, last, [&](int64_t, ByteRange string) { bytes += f.size(in.view(string)); });
        }
        return bytes;
      },
      many > 0);
  const MapOutput out = allocate(first_bytes.back());
  if (in.cols == 0) std::fill_n(out.offsets, in.rows, 0);  // rows without strings have one offset, which no task writes
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    const int64_t first = partition.begin(t).index, last = partition.end(t).index;
    if constexpr (kNeedsLength<Functor>) {
      const OffsetsWriter offsets(out.offsets, in.cols, first);
      return notes[static_cast<size_t>(t)].write(f, in, first, last, out.data, offsets, at, limit);
    } else if constexpr (kNotesChanges) {
      return notes[static_cast<size_t>(t)].write(f, in, {out.data, out.offsets, in.cols}, {at, limit, first, last});
    } else {
      return map_task(f, in, first, last, out, at, limit);
    }
  });
}

// allocate(num_bytes) -> MapOutput. Functors with write_run may call it twice.
template <class Functor, class Allocate>
void map_strings(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
  // Functors that take blocks of strings take little longer for empty ones; these all leave empty strings empty.
  if constexpr (kHasRuns<Functor> || kHasEdit<Functor>) {
    const StringSpan joined = join_adjacent(in);
    if (joined.rows != in.rows) {
      MapOutput out{};
      map_rows(op, runner, f, joined, [&](int64_t num_bytes) { return out = allocate(num_bytes); });
      // After a concurrent write, strings between rows may not be empty: the result would not be compact.
      check_unchanged(op, has_contiguous_offsets({nullptr, 0, out.offsets, in.rows, in.cols}));
      return;
    }
  }
  map_rows(op, runner, f, in, allocate);
}

// The same for a functor that takes many strings at once, mostly in blocks. It has kCost, and
//
//   int64_t measure(in, first, last) const                    the bytes of the results of strings [first, last)
//   bool write(in, first, last, out, at, limit) const         writes them to bytes [at, limit), and their offsets;
//                                                             false if they no longer fill these bytes (race)
template <class Functor, class Allocate>
void map_ranges(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
  const int64_t many = overlapping_tasks(in);
  const Partition partition =
      divide_map(in, many, [&] { return runner.choose_tasks(runner.time_of(in, Functor::kCost)); });
  const std::vector<int64_t> first_bytes = measure_tasks(
      op, runner, partition.tasks,
      [&](int64_t t) { return f.measure(in, partition.begin(t).index, partition.end(t).index); }, many > 0);
  const MapOutput out = allocate(first_bytes.back());
  if (in.cols == 0) std::fill_n(out.offsets, in.rows, 0);
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    return f.write(in, partition.begin(t).index, partition.end(t).index, out, at, limit);
  });
}

}  // namespace stringops::kernels
