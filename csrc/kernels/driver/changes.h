// Strings -> a part of each: what map.h does with functors that have `piece`. The first pass notes which strings
// change; in the second one, runs of adjacent strings that do not are copied at once, with their offsets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/rows.h"
#include "core/testing.h"
#include "kernels/gather.h"

namespace stringops::kernels {

template <class Functor, class = void>
inline constexpr bool kHasPiece = false;
template <class Functor>
inline constexpr bool kHasPiece<Functor, std::void_t<decltype(std::declval<const Functor&>().piece(StringView()))>> =
    true;

template <class Functor, class = void>
inline constexpr bool kHasEdit = false;
template <class Functor>
inline constexpr bool kHasEdit<Functor, std::void_t<decltype(&Functor::edit)>> = true;

// Appends strings of a span, parts of them, and other texts.
class ChangesWriter {
 public:
  ChangesWriter(const StringSpan& in, const GatherOutput& out, const OutputRange& range)
      : in_(in), parts_{in.data, in.num_bytes, ranges_, kMaxRuns, 1}, writer_(out, range) {}
  ChangesWriter(const ChangesWriter&) = delete;
  ChangesWriter& operator=(const ChangesWriter&) = delete;

  // Strings [first, last).
  void append_whole(int64_t first, int64_t last) {
    for_each_row(in_, first, last,
                 [&](int64_t, const int32_t* offsets, int64_t count) { append({&in_, offsets, count}); });
  }

  void append_part(StringView part) {
    int32_t* const range = ranges_ + 2 * num_runs_;
    range[0] = stringops::narrow<int32_t>(part.begin - in_.data);
    range[1] = stringops::narrow<int32_t>(part.end - in_.data);
    append({&parts_, range, 1});
  }

  // A text of at most kMaxBytes, which may change afterwards.
  void append_text(const std::vector<uint8_t>& text) {
    const auto size = static_cast<int64_t>(text.size());
    const int32_t offsets[] = {0, stringops::narrow<int32_t>(size)};
    const StringSpan span{text.data(), size, offsets, 1, 1};
    append({&span, offsets, 1});
    flush();
  }

  // Whether the strings fill the range.
  bool finish() {
    flush();
    return writer_.complete();
  }

 private:
  void append(const StringsRun& run) {
    runs_[num_runs_++] = run;
    if (num_runs_ == kMaxRuns) flush();
  }
  void flush() {
    if (num_runs_ > 0) writer_.append(runs_, num_runs_);
    num_runs_ = 0;
  }

  const StringSpan& in_;
  StringsRun runs_[kMaxRuns];
  int64_t num_runs_ = 0;
  int32_t ranges_[2 * kMaxRuns];  // of the parts among the runs
  const StringSpan parts_;
  GatherWriter writer_;
};

// The strings of a task, and which of them change.
template <class Functor>
class TaskChanges {
 public:
  // Returns the bytes of the results of strings [first, last).
  int64_t measure(const Functor& f, const StringSpan& in, int64_t first, int64_t last) {
    changed_.assign(static_cast<size_t>(words_for(last - first)), 0);
    if constexpr (kHasPiece<Functor>) {
      int64_t bytes = 0;
      for_each_string(in, first, last, [&](int64_t i, ByteRange range) {
        const int64_t size = f.piece(in.view(range)).size();
        bytes += size;
        if (size != range.size()) set_bit(changed_.data(), i - first);
      });
      return bytes;
    } else {
      return measure_edits(f, in, first, last);
    }
  }

  // Writes the results of the strings [range.pieces, range.pieces_end), which have been measured. Returns false if they
  // no longer fill the range.
  bool write(const Functor& f, const StringSpan& in, const GatherOutput& out, const OutputRange& range) {
    const int64_t first = range.pieces;
    if constexpr (kHasPiece<Functor>) {
      if (num_changed() > (range.pieces_end - first) / kManyChanges) return write_each(f, in, out, range);
    }
    ChangesWriter writer(in, out, range);
    int64_t at = first;
    for_each_bit(changed_.data(), static_cast<int64_t>(changed_.size()), [&](int64_t k) {
      writer.append_whole(at, first + k);
      at = first + k + 1;
      const int32_t* const offsets = string_of(in, first + k).offsets;
      const StringView string = in.view(in.clamped(offsets[0], offsets[1]));
      if constexpr (kHasPiece<Functor>) {
        writer.append_part(f.piece(string));
      } else if (f.edit(string, text_)) {
        writer.append_text(text_);
      } else {
        writer.append_part(string);
      }
    });
    writer.append_whole(at, range.pieces_end);
    return writer.finish();
  }

 private:
  // The part of the strings, as a divisor, from which on runs between those that change are too short to be worth it.
  static constexpr int64_t kManyChanges = 8;

  int64_t num_changed() const {
    int64_t count = 0;
    for (const uint64_t word : changed_) count += popcount(word);
    return count;
  }

  // Writes the part of each string by itself.
  static bool write_each(const Functor& f, const StringSpan& in, const GatherOutput& out, const OutputRange& range) {
    OffsetsWriter offsets(out.offsets, out.cols, range.pieces);
    int64_t at = range.bytes;
    for_each_string(in, range.pieces, range.pieces_end, [&](int64_t, ByteRange string) {
      const StringView part = f.piece(in.view(string));
      const int64_t begin = at;
      at = append_range(out.data, at, range.bytes_end, in.data, in.num_bytes, part.begin - in.data, part.end - in.data);
      offsets.push(begin, at);
    });
    return at == range.bytes_end;
  }

  // Strings are first tested in runs.
  int64_t measure_edits(const Functor& f, const StringSpan& in, int64_t first, int64_t last) {
    constexpr int64_t kRun = block_size(64, 4);
    int64_t bytes = 0;
    for_each_row(in, first, last, [&](int64_t i, const int32_t* offsets, int64_t count) {
      for (int64_t k = 0; k < count; k += kRun) {
        const int64_t end = std::min(k + kRun, count);
        const ByteRange run = in.clamped(offsets[k], offsets[end]);
        if (f.keeps(in.view(run))) {
          bytes += run.size();
          continue;
        }
        for (int64_t j = k; j < end; ++j) {
          const ByteRange string = in.clamped(offsets[j], offsets[j + 1]);
          const bool changes = f.edit(in.view(string), text_);
          bytes += changes ? static_cast<int64_t>(text_.size()) : string.size();
          if (changes) set_bit(changed_.data(), i - first + j);
        }
      }
    });
    return bytes;
  }

  std::vector<uint64_t> changed_;  // bit k: the result of string first + k is not the string itself
  std::vector<uint8_t> text_;
};

}  // namespace stringops::kernels
