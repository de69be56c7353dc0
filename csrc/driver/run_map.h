// Driver for functors whose results mostly have the sizes of their strings. Runs of strings are written in one pass,
// without measuring, to the positions that they have in the input. Where a size changes, the later results of the
// task move, too. All results of a task move once more, at the end, if those of the tasks before it have become longer
// or shorter. A functor has
//
//   static constexpr Cost kCost                what it takes (driver/runner.h)
//   static constexpr bool kTakesParts          whether it takes a string that is longer than a block in parts
//   void write_run(run, out, changes) const    writes num_bytes bytes: the results of the run, except for those parts
//                                              whose results have other sizes, which it adds to the RunChanges
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/narrow.h"
#include "core/strings.h"
#include "driver/map.h"
#include "driver/runner.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Strings that follow each other: string k ends before byte ends[k], where string k + 1 begins. A part of a longer
// string is the first one of its run; if it is not the last part, it is the only one, and `count` is 0.
struct Run {
  const uint8_t* data;
  int64_t num_bytes;
  const int32_t* ends;
  int64_t count;
  bool starts_inside;  // the first string began in the run before
  StringView first;    // the whole string that the first byte belongs to

  int64_t num_parts() const { return std::max<int64_t>(count, 1); }
  // What the run has of a string.
  StringView part(int64_t k) const {
    return {data + (k == 0 ? 0 : ends[k - 1]), data + (count == 0 ? num_bytes : ends[k])};
  }
  // The string that a part belongs to.
  StringView whole(int64_t k) const { return k == 0 ? first : part(k); }
  bool starts(int64_t k) const { return k > 0 || !starts_inside; }
};

// The parts of a run whose results have other sizes, in ascending order, none of which two strings share.
class RunChanges {
 public:
  void clear() {
    parts_.clear();
    texts_size_ = 0;
    removes_ = false;
    growth_ = 0;
  }

  // Bytes [begin, end) of the run become the `size` bytes of `text`. A part that begins in the one before it was read
  // while the strings changed, and is left as it is.
  void add(int64_t begin, int64_t end, const uint8_t* text, int64_t size) {
    if (!parts_.empty() && begin < parts_.back().end) return;
    const auto needed = static_cast<size_t>(texts_size_ + size);
    if (texts_.size() < needed) texts_.resize(2 * needed + kMinTexts);
    copy_exact(texts_.data() + texts_size_, text, size);
    texts_size_ += size;
    parts_.push_back({narrow<int32_t>(begin), narrow<int32_t>(end), narrow<int32_t>(size)});
    growth_ += size - (end - begin);
  }

  // Removes the bytes whose bits are set, of a run of at most kBlockBytes bytes that has no other changes.
  void remove(const uint64_t* words, int64_t num_bytes) {
    const int64_t count = words_for(num_bytes);
    for (int64_t w = 0; w < count; ++w) {
      kept_[static_cast<size_t>(w)] = ~words[w] & low_bits(num_bytes - w * kWordBits);
    }
    growth_ = -simd::primitives().count_bits(words, count);
    removes_ = true;
  }

  bool empty() const { return parts_.empty() && !removes_; }
  int64_t growth() const { return growth_; }  // in bytes; negative if the results are shorter

  // Copies the bytes of a run, with these parts changed, to `out`, which has as many as they take.
  void apply(const uint8_t* run, int64_t num_bytes, uint8_t* out) const {
    const uint8_t *text = texts_.data(), *const texts_end = text + texts_.size();
    uint8_t* const out_end = out + num_bytes + growth_;
    if (removes_) {
      static constexpr uint64_t kNoEnds[kBlockWords]{};
      simd::primitives().write_pieces({run, kept_.data(), kNoEnds, num_bytes, 0, out, out_end, nullptr, nullptr});
      return;
    }
    int64_t done = 0;
    for (const Part& part : parts_) {
      copy_short(out, out_end, run + done, run + num_bytes, part.begin - done);
      out += part.begin - done;
      copy_short(out, out_end, text, texts_end, part.size);
      out += part.size;
      text += part.size;
      done = part.end;
    }
    copy_short(out, out_end, run + done, run + num_bytes, num_bytes - done);
  }

  // Moves the ends of strings of the run to where the results end.
  void move(int32_t* ends, int64_t count) const {
    if (removes_) {
      int32_t prefix[kBlockWords + 1];
      simd::primitives().count_before(kept_.data(), kBlockWords, ends, count, prefix, ends);
      return;
    }
    int32_t shift = 0;
    int64_t k = 0;
    for (const Part& part : parts_) {
      for (; k < count && ends[k] < part.end; ++k) ends[k] += shift;
      shift += part.size - (part.end - part.begin);
    }
    for (; k < count; ++k) ends[k] += shift;
  }

 private:
  struct Part {
    int32_t begin, end;
    int32_t size;  // of the result
  };

  static constexpr size_t kMinTexts = 1024;

  std::vector<Part> parts_;
  std::vector<uint8_t> texts_;  // the results, one after the other, and room for more
  int64_t texts_size_ = 0;
  std::array<uint64_t, kBlockWords> kept_{};
  bool removes_ = false;
  int64_t growth_ = 0;
};

// What a task has written: bytes at its place in the result, and the later ones, for which the place has no room.
struct alignas(64) RunResult {
  int64_t in_place = 0;
  std::vector<uint8_t> rest;

  int64_t size() const { return in_place + static_cast<int64_t>(rest.size()); }
};

// Writes the results of a task.
template <class Functor>
class RunWriter {
 public:
  // The place of the task is bytes [begin, end) of `out`.
  RunWriter(const char* op, const Functor& f, const MapOutput& out, int64_t begin, int64_t end)
      : op_(op), f_(f), out_(out), begin_(begin), end_(end) {}

  // Writes the results of strings [first, last), and their offsets.
  void write(const StringSpan& in, int64_t first, int64_t last) {
    OffsetsWriter offsets(out_.offsets, first);
    for_each_run(in, first, last, [&](const Run& run, int32_t* ends) {
      const auto base = static_cast<int32_t>(begin_ + result.size());  // wraps around if the result is too large
      const bool fits = run.num_bytes <= room();
      uint8_t* const to = fits ? at() : scratch(run.num_bytes);
      changes_.clear();
      f_.write_run(run, to, changes_);
      if (fits && changes_.empty()) {
        result.in_place += run.num_bytes;
      } else {
        if (fits) std::memcpy(scratch(run.num_bytes), to, static_cast<size_t>(run.num_bytes));
        append_changed(run.num_bytes);
        changes_.move(ends, run.count);
      }
      offsets.append(ends, run.count, base);
    });
  }

  RunResult result;

 private:
  // Calls take(run, ends) for each run.
  template <class Take>
  void for_each_run(const StringSpan& in, int64_t first, int64_t last, Take&& take) {
    BlockReader reader(in, {first, 0}, {last, 0});
    Block block;
    while (reader.next(block)) {
      int32_t* const ends = block.string_ends.data();
      const StringView string = in.view(in.range(block.first_string));
      if (!Functor::kTakesParts && block.num_strings == 0) {
        ends[0] = narrow<int32_t>(string.size());
        reader.skip_rest();
        take(Run{string.begin, string.size(), ends, 1, false, string}, ends);
      } else {
        take(Run{block.data, block.num_bytes, ends, block.num_strings, block.starts_inside, string}, ends);
      }
    }
  }

  // Appends the results of a run, of which `scratch` has those parts that do not change their sizes.
  void append_changed(int64_t num_bytes) {
    const int64_t size = num_bytes + changes_.growth();
    if (size <= room()) {
      changes_.apply(scratch_.data(), num_bytes, at());
      result.in_place += size;
      return;
    }
    check_result_bytes(op_, result.size() + size);
    std::vector<uint8_t>& rest = result.rest;
    const size_t before = rest.size();
    rest.resize(before + static_cast<size_t>(size));
    changes_.apply(scratch_.data(), num_bytes, rest.data() + before);
  }

  uint8_t* at() const { return out_.data + begin_ + result.in_place; }
  int64_t room() const { return result.rest.empty() ? end_ - begin_ - result.in_place : 0; }

  uint8_t* scratch(int64_t num_bytes) {
    scratch_.resize(static_cast<size_t>(std::max(num_bytes, kBlockBytes)));
    return scratch_.data();
  }

  const char* const op_;
  const Functor& f_;
  const MapOutput out_;
  const int64_t begin_;
  const int64_t end_;
  std::vector<uint8_t> scratch_;
  RunChanges changes_;
};

struct RunMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_by<RunWriter<Functor>>(op, runner, f, in, allocate);
  }

  // A Writer writes the results of a task. allocate.resize(num_bytes, kept) returns another MapOutput with the first
  // `kept` bytes.
  template <class Writer, class Functor, class Allocate>
  static void map_by(const char* op, const Runner& runner, const Functor& f, const StringSpan& in,
                     Allocate&& allocate) {
    const Partition tasks = divide_strings(in, runner, Functor::kCost);
    std::vector<int64_t> begins{0};  // of the places of tasks, and the end of the last one
    for (int64_t t = 0; t < tasks.tasks; ++t) {
      begins.push_back(begins.back() + count_bytes(in, tasks.first(t), tasks.last(t)));
    }
    const MapOutput out = allocate(begins.back());
    std::vector<RunResult> results(static_cast<size_t>(tasks.tasks));
    runner.run(tasks.tasks, [&](int64_t t) {
      const auto i = static_cast<size_t>(t);
      Writer writer(op, f, out, begins[i], begins[i + 1]);
      writer.write(in, tasks.first(t), tasks.last(t));
      results[i] = std::move(writer.result);
    });
    finish(op, tasks, begins, results, out, allocate);
  }

 private:
  // Moves the results of tasks to where those before them end.
  template <class Allocate>
  static void finish(const char* op, const Partition& tasks, const std::vector<int64_t>& begins,
                     const std::vector<RunResult>& results, MapOutput out, Allocate&& allocate) {
    std::vector<int64_t> ends{0};
    for (const RunResult& result : results) ends.push_back(ends.back() + result.size());
    const int64_t size = ends.back(), capacity = begins.back();
    check_result_bytes(op, size);
    if (ends == begins) return;
    if (size > capacity) out = allocate.resize(size, capacity);
    const auto move = [&](size_t t) {
      const RunResult& result = results[t];
      uint8_t *const from = out.data + begins[t], *const to = out.data + ends[t];
      if (to != from) std::memmove(to, from, static_cast<size_t>(result.in_place));
      copy_bytes(to + result.in_place, result.rest.data(), static_cast<int64_t>(result.rest.size()));
      const auto shift = static_cast<uint32_t>(ends[t] - begins[t]);
      const auto task = static_cast<int64_t>(t);
      for (int64_t i = tasks.first(task) + 1; i <= tasks.last(task); ++i) {
        out.offsets[i] = static_cast<int32_t>(static_cast<uint32_t>(out.offsets[i]) + shift);
      }
    };
    // In this order, none overwrites results that have yet to move.
    for (size_t t = results.size(); t-- > 0;) {
      if (ends[t] > begins[t]) move(t);
    }
    for (size_t t = 0; t < results.size(); ++t) {
      if (ends[t] <= begins[t]) move(t);
    }
    if (size < capacity) allocate.resize(size, size);
  }
};

}  // namespace stringops::kernels
