// Strings -> a part of each: what map.h does with functors that have `piece`. The first pass notes where the parts are;
// in the second one, runs of adjacent strings that do not change are copied at once, with their offsets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/rows.h"
#include "core/testing.h"
#include "driver/gather_writer.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

template <class Functor, class = void>
inline constexpr bool kHasPiece = false;
template <class Functor>
inline constexpr bool kHasPiece<Functor, std::void_t<decltype(std::declval<const Functor&>().piece(StringView()))>> =
    true;

template <class Functor, class = void>
inline constexpr bool kHasPieces = false;
template <class Functor>
inline constexpr bool kHasPieces<Functor, std::void_t<decltype(&Functor::find_pieces)>> = true;

template <class Functor, class = void>
inline constexpr bool kFindsChanges = false;
template <class Functor>
inline constexpr bool kFindsChanges<Functor, std::void_t<decltype(&Functor::find_changes)>> = true;

template <class Functor, class = void>
inline constexpr bool kHasEdit = false;
template <class Functor>
inline constexpr bool kHasEdit<Functor, std::void_t<decltype(&Functor::edit)>> = true;

template <class Functor, class = void>
inline constexpr bool kHasKeeps = false;
template <class Functor>
inline constexpr bool kHasKeeps<Functor, std::void_t<decltype(&Functor::keeps)>> = true;

// Appends strings of a span, parts of them, and other texts.
class ChangesWriter {
 public:
  ChangesWriter(const StringSpan& in, const GatherOutput& out, const OutputRange& range)
      : in_(in), parts_{in.data, in.num_bytes, ranges_, kMaxRuns, 1}, writer_(out, range) {}
  ChangesWriter(const ChangesWriter&) = delete;
  ChangesWriter& operator=(const ChangesWriter&) = delete;

  // Strings [first, last).
  void append_whole(int64_t first, int64_t last) {
    constexpr int64_t kFew = 8;  // strings that are appended one by one
    if (!JoinedRows::serve(in_)) {
      for_each_row(in_, first, last,
                   [&](int64_t, const int32_t* offsets, int64_t count) { append({&in_, offsets, count}); });
    } else if (last - first < kFew) {
      for (; first < last; ++first) append(string_of(in_, first));
    } else {
      flush();
      for_each_narrow_run(in_, first, last, *this);
    }
  }

  void operator()(const StringRanges& ranges) { writer_.append_ranges(ranges); }
  void operator()(const CopiedRun& copied) { writer_.append(&copied.run, 1); }

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

// The strings of a task, and the part of each that is its result.
template <class Functor>
class TaskPieces {
 public:
  // Returns the bytes of the results of strings [first, last).
  int64_t measure(const Functor& f, const StringSpan& in, int64_t first, int64_t last) {
    pieces_.reset(new simd::ShortPiece[static_cast<size_t>(last - first)]);
    if (!kHasPieces<Functor>) changed_.assign(static_cast<size_t>(words_for(last - first)), 0);
    simd::ShortPiece* const pieces = pieces_.get() - first;
    int64_t bytes = 0;
    const auto add = [&](int64_t i, StringView string) {
      const StringView part = f.piece(string);
      pieces[i] = simd::short_piece(part.begin - string.begin, part.size());
      bytes += part.size();
      if (part.size() == string.size()) return;
      ++num_changed_;
      if (!kHasPieces<Functor>) set_bit(changed_.data(), i - first);
    };
    if constexpr (kHasPieces<Functor>) {
      const auto take = [&](const Block& block, int64_t first_whole) {
        simd::ShortPiece* const found = pieces + block.first_string;
        const simd::ShortPiece continued = *found;  // the piece of a string that began before the block
        if (!f.find_pieces(block, found)) return false;
        if (first_whole > 0) *found = continued;
        // Sums without a branch, which are vectorized; long pieces, mostly none, are corrected.
        int32_t sizes = 0, changed = 0, num_long = 0;
        const auto count = [&](int32_t size, int32_t of_string) {
          sizes += size;
          changed += size != of_string;
          num_long += size == simd::ShortPiece::kLong;
        };
        const int32_t* const ends = block.string_ends.data();
        if (first_whole == 0) count(found[0].size, ends[0]);
        for (int64_t k = 1; k < block.num_strings; ++k) count(found[k].size, ends[k] - ends[k - 1]);
        bytes += sizes - num_long * simd::ShortPiece::kLong;
        num_changed_ += changed - num_long;
        for (int64_t k = first_whole; k < block.num_strings && num_long > 0; ++k) {
          if (!found[k].is_long()) continue;
          --num_long;
          add(block.first_string + k, block.string(k));
        }
        return true;
      };
      read_blocks(in, first, last, take, add);
    } else if constexpr (kFindsChanges<Functor>) {
      constexpr int64_t kRun = block_size(512, 8);
      bool changes[kRun];
      for_each_ranges(in, first, last, [&](int64_t i, const int32_t* begins, const int32_t* ends, int64_t count) {
        for (int64_t k = 0; k < count; ++k) {
          if (k % kRun == 0) f.find_changes(in, begins + k, ends + k, std::min(kRun, count - k), changes);
          const StringView string = in.view(in.clamped(begins[k], ends[k]));
          if (changes[k % kRun]) {
            add(i + k, string);
          } else {
            pieces[i + k] = simd::short_piece(0, string.size());
            bytes += string.size();
          }
        }
      });
    } else {
      for_each_string(in, first, last, [&](int64_t i, ByteRange range) { add(i, in.view(range)); });
    }
    return bytes;
  }

  // Writes the results of the strings [range.pieces, range.pieces_end), which have been measured. Returns false if they
  // no longer fill the range.
  bool write(const Functor& f, const StringSpan& in, const GatherOutput& out, const OutputRange& range) const {
    const int64_t first = range.pieces, last = range.pieces_end;
    const simd::ShortPiece* const pieces = pieces_.get() - first;
    const auto part_of = [&](int64_t i, StringView string) -> StringView {
      const simd::ShortPiece piece = pieces[i];
      if (piece.is_long()) return f.piece(string);
      const uint8_t* const begin = string.begin + std::min<int64_t>(piece.skip, string.size());
      return {begin, begin + std::min<int64_t>(piece.size, string.end - begin)};
    };
    if (num_changed_ > (last - first) / kManyChanges) return write_each(part_of, in, out, range);
    ChangesWriter writer(in, out, range);
    int64_t at = first;
    const auto write_one = [&](int64_t i, StringView string) {
      const StringView part = part_of(i, string);
      if (part.size() == string.size()) return;
      writer.append_whole(at, i);
      writer.append_part(part);
      at = i + 1;
    };
    if constexpr (kHasPieces<Functor>) {
      for_each_string(in, first, last, [&](int64_t i, ByteRange string) { write_one(i, in.view(string)); });
    } else {
      for_each_bit(changed_.data(), static_cast<int64_t>(changed_.size()), [&](int64_t k) {
        const int32_t* const offsets = string_of(in, first + k).offsets;
        write_one(first + k, in.view(in.clamped(offsets[0], offsets[1])));
      });
    }
    writer.append_whole(at, last);
    return writer.finish();
  }

 private:
  // Writes the part of each string by itself.
  template <class PartOf>
  bool write_each(const PartOf& part_of, const StringSpan& in, const GatherOutput& out,
                  const OutputRange& range) const {
    constexpr int64_t kRun = 256;
    OffsetsWriter offsets(out.offsets, out.cols, range.pieces);
    int64_t at = range.bytes;
    int32_t part_ends[kRun];
    // In locals, as storing bytes could change all else.
    const auto write_run = [&](int64_t i, const int32_t* begins, const int32_t* ends, int64_t count) {
      const simd::ShortPiece* const pieces = pieces_.get() + (i - range.pieces);
      const uint8_t* const data = in.data;
      const int64_t num_bytes = in.num_bytes, limit = range.bytes_end, origin = at;
      int64_t to = at;
      for (int64_t k = 0; k < count; ++k) {
        const int64_t begin = int64_t{begins[k]} + pieces[k].skip, size = pieces[k].size;
        // One branch for all conditions of a copy of so many bytes: each is not negative.
        const auto fits = [&](int64_t n) {
          return (begin | (num_bytes - n - begin) | (limit - n - to) | (n - size)) >= 0;
        };
        if (fits(kShortCopy)) {
          std::memcpy(out.data + to, data + begin, kShortCopy);
          to += size;
        } else if (fits(kMediumCopy)) {
          copy_medium(out.data + to, data + begin);
          to += size;
        } else {
          const StringView part = part_of(i + k, in.view(in.clamped(begins[k], ends[k])));
          to = append_range(out.data, to, limit, data, num_bytes, part.begin - data, part.end - data);
        }
        part_ends[k] = narrow<int32_t>(to - origin);
      }
      at = to;
      offsets.append(part_ends, count, origin);
    };
    for_each_ranges(in, range.pieces, range.pieces_end,
                    [&](int64_t i, const int32_t* begins, const int32_t* ends, int64_t count) {
                      for (int64_t k = 0; k < count; k += kRun) {
                        write_run(i + k, begins + k, ends + k, std::min(kRun, count - k));
                      }
                    });
    return at == range.bytes_end;
  }

  // The part of the strings, as a divisor, from which on runs between those that change are too short to be worth it.
  static constexpr int64_t kManyChanges = 8;

  std::unique_ptr<simd::ShortPiece[]> pieces_;
  // Bit k: the result of string first + k is not the string itself. Not of functors that find pieces by the block.
  std::vector<uint64_t> changed_;
  int64_t num_changed_ = 0;
};

// Calls keep(bytes) for runs of strings [first, last) that stay as they are, and take(i, string) for each other string.
// Strings are first tested in runs.
template <class Functor, class Keep, class Take>
void for_each_kept(const Functor& f, const StringSpan& in, int64_t first, int64_t last, Keep&& keep, Take&& take) {
  constexpr int64_t kRun = block_size(64, 4);
  // Strings i to i + count - 1, of which string(k) is string i + k.
  const auto take_run = [&](int64_t i, int64_t count, auto&& string) {
    for (int64_t k = 0; k < count; k += kRun) {
      const int64_t end = std::min(k + kRun, count);
      const StringView run{string(k).begin, std::max(string(k).begin, string(end - 1).end)};
      if (f.keeps(run)) {
        keep(run);
      } else {
        for (int64_t j = k; j < end; ++j) take(i + j, string(j));
      }
    }
  };
  if (!JoinedRows::serve(in)) {
    for_each_row(in, first, last, [&](int64_t i, const int32_t* offsets, int64_t count) {
      take_run(i, count, [&](int64_t k) { return in.view(in.clamped(offsets[k], offsets[k + 1])); });
    });
    return;
  }
  const auto take_block = [&](const Block& block, int64_t k) {
    take_run(block.first_string + k, block.num_strings - k, [&](int64_t j) { return block.string(k + j); });
    return true;
  };
  const auto take_one = [&](int64_t i, StringView string) { take_run(i, 1, [&](int64_t) { return string; }); };
  read_blocks(in, first, last, take_block, take_one);
}

// The strings of a task, and which of them change.
template <class Functor>
class TaskEdits {
 public:
  // Returns the bytes of the results of strings [first, last). Strings are first tested in runs.
  int64_t measure(const Functor& f, const StringSpan& in, int64_t first, int64_t last) {
    changed_.assign(static_cast<size_t>(words_for(last - first)), 0);
    int64_t bytes = 0;
    for_each_kept(
        f, in, first, last, [&](StringView run) { bytes += run.size(); },
        [&](int64_t i, StringView string) {
          const bool changes = f.edit(string, text_);
          bytes += changes ? static_cast<int64_t>(text_.size()) : string.size();
          if (changes) set_bit(changed_.data(), i - first);
        });
    return bytes;
  }

  // As TaskPieces::write.
  bool write(const Functor& f, const StringSpan& in, const GatherOutput& out, const OutputRange& range) {
    const int64_t first = range.pieces;
    ChangesWriter writer(in, out, range);
    int64_t at = first;
    for_each_bit(changed_.data(), static_cast<int64_t>(changed_.size()), [&](int64_t k) {
      writer.append_whole(at, first + k);
      at = first + k + 1;
      const int32_t* const offsets = string_of(in, first + k).offsets;
      const StringView string = in.view(in.clamped(offsets[0], offsets[1]));
      if (f.edit(string, text_)) {
        writer.append_text(text_);
      } else {
        writer.append_part(string);
      }
    });
    writer.append_whole(at, range.pieces_end);
    return writer.finish();
  }

 private:
  std::vector<uint64_t> changed_;  // bit k: the result of string first + k is not the string itself
  std::vector<uint8_t> text_;
};

// The strings of a task whose results can be measured without making them, and whether all of them stay as they are.
template <class Functor>
class TaskBlocks {
 public:
  // Returns the bytes of the results of strings [first, last).
  int64_t measure(const Functor& f, const StringSpan& in, int64_t first, int64_t last) {
    int64_t bytes = 0;
    for_each_kept(
        f, in, first, last, [&](StringView run) { bytes += run.size(); },
        [&](int64_t, StringView string) {
          keeps_all_ = false;
          bytes += f.size(string);
        });
    return bytes;
  }

  // As TaskPieces::write.
  bool write(const Functor& f, const StringSpan& in, const GatherOutput& out, const OutputRange& range) const {
    if (keeps_all_) {
      ChangesWriter writer(in, out, range);
      writer.append_whole(range.pieces, range.pieces_end);
      return writer.finish();
    }
    OffsetsWriter offsets(out.offsets, in.cols, range.pieces);
    int64_t at = range.bytes;
    const int64_t limit = range.bytes_end;
    const auto take = [&](const Block& block, int64_t k) {
      if (k > 0 || block.num_bytes > limit - at || !f.keeps({block.data, block.data + block.num_bytes})) return false;
      copy_bytes(out.data + at, block.data, block.num_bytes);
      offsets.append(block.string_ends.data(), block.num_strings, at);
      at += block.num_bytes;
      return true;
    };
    const auto take_one = [&](int64_t, StringView string) {
      const int64_t begin = at;
      at = f.write(string, out.data + at, out.data + limit) - out.data;
      offsets.push(begin, at);
    };
    read_blocks(in, range.pieces, range.pieces_end, take, take_one);
    return at == limit;
  }

 private:
  bool keeps_all_ = true;
};

template <class Functor>
using TaskChanges = std::conditional_t<kHasPiece<Functor>, TaskPieces<Functor>,
                                       std::conditional_t<kHasEdit<Functor>, TaskEdits<Functor>, TaskBlocks<Functor>>>;

}  // namespace stringops::kernels
