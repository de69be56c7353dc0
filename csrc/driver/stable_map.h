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
#include <type_traits>
#include <vector>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/strings.h"
#include "core/testing.h"
#include "driver/changes_writer.h"
#include "driver/map.h"

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
class StableWorker {
 public:
  explicit StableWorker(const Functor& f) : f_(f) {}

  int64_t measure(const StringSpan& in, int64_t first, int64_t last) {
    changed_.assign(static_cast<size_t>(words_for(last - first)), 0);
    int64_t bytes = 0;
    for_each_kept(
        f_, in, first, last, [&](StringView run) { bytes += run.size(); },
        [&](int64_t i, StringView string) {
          const int64_t size = changed_size(string);
          bytes += size < 0 ? string.size() : size;
          if (size < 0) return;
          ++num_changed_;
          set_bit(changed_.data(), i - first);
        });
    return bytes;
  }

  bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit) {
    if constexpr (!kEdits) {
      if (num_changed_ > (last - first) / kManyChanges) return write_each(in, first, last, out, at, limit);
    }
    ChangesWriter writer(in, {out.data, out.offsets}, {at, limit, first, last});
    int64_t whole = first;  // the first string that is not written
    for_each_bit(changed_.data(), static_cast<int64_t>(changed_.size()), [&](int64_t k) {
      writer.append_whole(whole, first + k);
      whole = first + k + 1;
      const StringView string = in.view(in.range(first + k));
      if (change(string)) {
        writer.append_text(text_);
      } else {
        writer.append_part(string);
      }
    });
    writer.append_whole(whole, last);
    return writer.finish();
  }

 private:
  static constexpr bool kEdits = std::is_same_v<typename Functor::Driver, struct EditMap>;

  // If more than one of so many strings changes, each result is written in place.
  static constexpr int64_t kManyChanges = 8;

  // Sets text_ to the result for a string, or returns false if that is the string.
  bool change(StringView string) {
    if constexpr (kEdits) {
      return f_.edit(string, text_);
    } else {
      text_.resize(static_cast<size_t>(f_.size(string)));
      text_.resize(static_cast<size_t>(f_.write(string, text_.data(), text_.data() + text_.size()) - text_.data()));
      return true;
    }
  }

  // The size of the result for a string, or -1 if that is the string.
  int64_t changed_size(StringView string) {
    if constexpr (kEdits) {
      return change(string) ? static_cast<int64_t>(text_.size()) : -1;
    } else {
      return f_.size(string);
    }
  }

  bool write_each(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                  int64_t limit) const {
    OffsetsWriter offsets(out.offsets, first);
    for_each_string(in, first, last, [&](int64_t, ByteRange range) {
      const StringView string = in.view(range);
      if (string.size() <= limit - at && f_.keeps(string)) {
        copy_bytes(out.data + at, string.begin, string.size());
        at += string.size();
      } else {
        at = f_.write(string, out.data + at, out.data + limit) - out.data;
      }
      offsets.push(at);
    });
    return at == limit;
  }

  const Functor& f_;
  std::vector<uint64_t> changed_;  // bit k is set if the result of string first + k is not the string itself
  int64_t num_changed_ = 0;
  std::vector<uint8_t> text_;
};

struct StableMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<StableWorker<Functor>>(op, runner, f, Functor::kCost, in, allocate);
  }
};

struct EditMap : StableMap {};

}  // namespace stringops::kernels
