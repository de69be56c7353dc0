// Driver for functors whose results depend on the length of each string in code points, which the first pass counts in
// blocks and keeps. A functor has
//
//   static constexpr Cost kCost             what it takes (driver/runner.h)
//   bool needs_length(num_bytes) const      returns false if any length of strings of so many bytes will do
//   int64_t size(num_bytes, length) const   returns the size of the result in bytes
//   uint8_t* write(in, length, readable_end, out, out_end) const   writes the result, nothing at or past out_end, and
//                                           returns its end; bytes up to readable_end may be read
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/fail.h"
#include "core/narrow.h"
#include "core/strings.h"
#include "driver/map.h"
#include "split/blocks.h"
#include "split/codepoint_lengths.h"

namespace stringops::kernels {

// The worker of a task (map.h). It keeps the lengths of the strings.
template <class Functor>
class PaddedWorker {
 public:
  explicit PaddedWorker(const Functor& f) : f_(f) {}

  // Returns kTooMany if there are more bytes.
  int64_t measure(const StringSpan& in, int64_t first, int64_t last) {
    const Functor& f = f_;
    lengths_.reset(new uint8_t[static_cast<size_t>(last - first)]);
    uint8_t* const kept = lengths_.get() - first;
    int64_t bytes = 0;
    BlockLengths lengths;
    const auto add = [&](int64_t i, int64_t size, int64_t length) {
      kept[i] = static_cast<uint8_t>(std::min(length, kLong));
      if (__builtin_add_overflow(bytes, f.size(size, length), &bytes)) bytes = kTooMany;
    };
    read_blocks(
        in, first, last,
        [&](const Block& block) {
          if (!f.needs_length(block.num_bytes / (block.num_strings * kWorthCounting))) return false;
          if (!lengths.count(block)) return false;
          for (int64_t k = 0; k < block.num_strings; ++k) {
            add(block.first_string + k, block.end(k) - block.begin(k), lengths[k]);
          }
          return true;
        },
        [&](int64_t i, StringView string) {
          const int64_t size = string.size();
          add(i, size, f.needs_length(size) ? length_in_codepoints(string) : size);
        });
    return std::min(bytes, kTooMany);
  }

  bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit) const {
    constexpr int64_t kRun = 256;
    int32_t ends_of_run[kRun];
    OffsetsWriter offsets(out.offsets, first);
    uint8_t *to = out.data + at, *const to_end = out.data + limit;
    for (int64_t i = first; i < last; i += kRun) {
      const int64_t count = std::min(kRun, last - i);
      // In locals, as storing bytes could change all else.
      const Functor functor = f_;
      const StringSpan strings = in.part(i, count);
      const uint8_t* const kept = lengths_.get() + (i - first);
      const uint8_t* const readable_end = strings.data + strings.num_bytes;
      uint8_t *const begin = to, *end = to, *const limit_of_run = to_end;
      for (int64_t k = 0; k < count; ++k) {
        const StringView string = strings.view(strings.range(k));
        int64_t length = kept[k];
        if (length == kLong)
          length = functor.needs_length(string.size()) ? length_in_codepoints(string) : string.size();
        end = functor.write(string, length, readable_end, end, limit_of_run);
        ends_of_run[k] = narrow<int32_t>(end - begin);
      }
      to = end;
      offsets.append(ends_of_run, count, begin - out.data);
    }
    return to == to_end;
  }

 private:
  static constexpr int64_t kLong = 255;  // a length that is not kept
  // Blocks are not counted if most strings are by so much longer than those whose lengths matter.
  static constexpr int64_t kWorthCounting = 4;

  const Functor& f_;
  std::unique_ptr<uint8_t[]> lengths_;
};

struct PaddedMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<PaddedWorker<Functor>>(op, runner, f, Functor::kCost, in, allocate);
  }
};

}  // namespace stringops::kernels
