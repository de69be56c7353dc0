// Drivers for functors that leave most strings as they are, which a test of many bytes finds. Both kinds have
//
//   static constexpr Cost kCost           what it takes (driver/runner.h)
//   bool keeps(bytes) const               returns whether all strings of these bytes stay as they are
//
// EditMap is for functors whose results are measured by making them, in both passes:
//
//   bool edit(in, vector<uint8_t>& out) const   sets `out` to the result and returns true, or returns false if the
//                                               result is `in`, as it is of an empty string
//
// StableMap is for functors that have size() and write() of a StringMap (map.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/rows.h"
#include "core/testing.h"
#include "driver/changes_writer.h"
#include "driver/map.h"
#include "split/blocks.h"

namespace stringops::kernels {

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

// The worker of a task (map.h). It keeps which strings change.
template <class Functor>
class EditWorker {
 public:
  static constexpr bool kKeepsLittle = true;

  explicit EditWorker(const Functor& f) : f_(f) {}

  int64_t measure(const StringSpan& in, int64_t first, int64_t last) {
    changed_.assign(static_cast<size_t>(words_for(last - first)), 0);
    int64_t bytes = 0;
    for_each_kept(
        f_, in, first, last, [&](StringView run) { bytes += run.size(); },
        [&](int64_t i, StringView string) {
          const bool changes = f_.edit(string, text_);
          bytes += changes ? static_cast<int64_t>(text_.size()) : string.size();
          if (changes) set_bit(changed_.data(), i - first);
        });
    return bytes;
  }

  bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit) {
    ChangesWriter writer(in, {out.data, out.offsets, in.cols}, {at, limit, first, last});
    int64_t whole = first;  // the first string that is not written
    for_each_bit(changed_.data(), static_cast<int64_t>(changed_.size()), [&](int64_t k) {
      writer.append_whole(whole, first + k);
      whole = first + k + 1;
      const int32_t* const offsets = string_of(in, first + k).offsets;
      const StringView string = in.view(in.clamped(offsets[0], offsets[1]));
      if (f_.edit(string, text_)) {
        writer.append_text(text_);
      } else {
        writer.append_part(string);
      }
    });
    writer.append_whole(whole, last);
    return writer.finish();
  }

 private:
  const Functor& f_;
  std::vector<uint64_t> changed_;  // bit k is set if the result of string first + k is not the string itself
  std::vector<uint8_t> text_;
};

struct EditMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& all, Allocate&& allocate) {
    map_joined(op, all, allocate, [&](const StringSpan& in, auto&& allocate_joined) {
      map_tasks<EditWorker<Functor>>(op, runner, f, Functor::kCost, in, allocate_joined);
    });
  }
};

// The worker of a task. It keeps whether all strings stay as they are.
template <class Functor>
class StableWorker {
 public:
  static constexpr bool kKeepsLittle = true;

  explicit StableWorker(const Functor& f) : f_(f) {}

  int64_t measure(const StringSpan& in, int64_t first, int64_t last) {
    int64_t bytes = 0;
    for_each_kept(
        f_, in, first, last, [&](StringView run) { bytes += run.size(); },
        [&](int64_t, StringView string) {
          keeps_all_ = false;
          bytes += f_.size(string);
        });
    return bytes;
  }

  bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit) const {
    const Functor& f = f_;
    if (keeps_all_) {
      ChangesWriter writer(in, {out.data, out.offsets, in.cols}, {at, limit, first, last});
      writer.append_whole(first, last);
      return writer.finish();
    }
    OffsetsWriter offsets(out.offsets, in.cols, first);
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
    read_blocks(in, first, last, take, take_one);
    return at == limit;
  }

 private:
  const Functor& f_;
  bool keeps_all_ = true;
};

struct StableMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<StableWorker<Functor>>(op, runner, f, Functor::kCost, in, allocate);
  }
};

}  // namespace stringops::kernels
