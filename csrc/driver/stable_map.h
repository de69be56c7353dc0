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
#include "core/strings.h"
#include "core/testing.h"
#include "driver/changes_writer.h"
#include "driver/map.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Calls keep(bytes) for runs of strings [first, last) that stay as they are, and take(i, string) for each other string.
// Strings are tested in runs, and one by one in a run that has others.
template <class Functor, class Keep, class Take>
void for_each_kept(const Functor& f, const StringSpan& in, int64_t first, int64_t last, Keep&& keep, Take&& take) {
  constexpr int64_t kRun = block_size(64, 4);
  const auto string = [&](int64_t i) { return in.view(in.range(i)); };
  for (int64_t i = first; i < last; i += kRun) {
    const int64_t end = std::min(i + kRun, last);
    const StringView run{string(i).begin, std::max(string(i).begin, string(end - 1).end)};
    if (f.keeps(run)) {
      keep(run);
    } else {
      for (int64_t j = i; j < end; ++j) {
        const StringView one = string(j);
        if (f.keeps(one)) {
          keep(one);
        } else {
          take(j, one);
        }
      }
    }
  }
}

// The worker of a task (map.h). It keeps which strings change.
template <class Functor>
class EditWorker {
 public:
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
    ChangesWriter writer(in, {out.data, out.offsets}, {at, limit, first, last});
    int64_t whole = first;  // the first string that is not written
    for_each_bit(changed_.data(), static_cast<int64_t>(changed_.size()), [&](int64_t k) {
      writer.append_whole(whole, first + k);
      whole = first + k + 1;
      const StringView string = in.view(in.range(first + k));
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
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<EditWorker<Functor>>(op, runner, f, Functor::kCost, in, allocate);
  }
};

// The worker of a task. It keeps whether all strings stay as they are.
template <class Functor>
class StableWorker {
 public:
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
      ChangesWriter writer(in, {out.data, out.offsets}, {at, limit, first, last});
      writer.append_whole(first, last);
      return writer.finish();
    }
    OffsetsWriter offsets(out.offsets, first);
    const auto copy = [&](StringView bytes) {
      if (bytes.size() > limit - at || !f.keeps(bytes)) return false;
      copy_bytes(out.data + at, bytes.begin, bytes.size());
      return true;
    };
    const auto take = [&](const Block& block, int64_t k) {
      if (k > 0 || !copy({block.data, block.data + block.num_bytes})) return false;
      offsets.append(block.string_ends.data(), block.num_strings, at);
      at += block.num_bytes;
      return true;
    };
    const auto take_one = [&](int64_t, StringView string) {
      at = copy(string) ? at + string.size() : f.write(string, out.data + at, out.data + limit) - out.data;
      offsets.push(at);
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
