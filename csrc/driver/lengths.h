// string -> string, by the length of each string in code points: what map.h does with functors that have
// `kNeedsLength`. The first pass keeps the lengths, which it counts in blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/fail.h"
#include "core/narrow.h"
#include "core/rows.h"
#include "split/blocks.h"
#include "split/codepoint_lengths.h"

namespace stringops::kernels {

template <class Functor, class = void>
inline constexpr bool kNeedsLength = false;
template <class Functor>
inline constexpr bool kNeedsLength<Functor, std::enable_if_t<Functor::kNeedsLength>> = true;

// The lengths of the strings of a task.
class TaskLengths {
 public:
  // Returns the bytes of the results of strings [first, last), or kTooMany.
  template <class Functor>
  int64_t measure(const Functor& f, const StringSpan& in, int64_t first, int64_t last) {
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
        [&](const Block& block, int64_t k) {
          if (!f.needs_length(block.num_bytes / (block.num_strings * kWorthCounting))) return false;
          if (!lengths.count(block, k)) return false;
          for (; k < block.num_strings; ++k) add(block.first_string + k, block.end(k) - block.begin(k), lengths[k]);
          return true;
        },
        [&](int64_t i, StringView string) {
          const int64_t size = string.size();
          add(i, size, f.needs_length(size) ? length_in_codepoints(string) : size);
        });
    return std::min(bytes, kTooMany);
  }

  // Writes the results of the measured strings [first, last) to bytes [at, limit). Returns false if they no longer fill
  // these bytes.
  template <class Functor>
  bool write(const Functor& f, const StringSpan& in, int64_t first, int64_t last, uint8_t* out, OffsetsWriter offsets,
             int64_t at, int64_t limit) const {
    constexpr int64_t kRun = 256;
    int32_t ends_of_run[kRun];
    uint8_t *to = out + at, *const to_end = out + limit;
    const auto write_run = [&](int64_t i, const int32_t* begins, const int32_t* ends, int64_t count) {
      // In locals, as storing bytes could change all else.
      const Functor functor = f;
      const StringSpan strings = in;
      const uint8_t* const kept = lengths_.get() + (i - first);
      const uint8_t* const readable_end = strings.data + strings.num_bytes;
      uint8_t *const begin = to, *end = to, *const limit_of_run = to_end;
      for (int64_t k = 0; k < count; ++k) {
        const StringView string = strings.view(strings.clamped(begins[k], ends[k]));
        int64_t length = kept[k];
        if (length == kLong)
          length = functor.needs_length(string.size()) ? length_in_codepoints(string) : string.size();
        end = functor.write(string, length, readable_end, end, limit_of_run);
        ends_of_run[k] = narrow<int32_t>(end - begin);
      }
      to = end;
      offsets.append(ends_of_run, count, begin - out);
    };
    for_each_ranges(in, first, last, [&](int64_t i, const int32_t* begins, const int32_t* ends, int64_t count) {
      for (int64_t k = 0; k < count; k += kRun) write_run(i + k, begins + k, ends + k, std::min(kRun, count - k));
    });
    return to == to_end;
  }

 private:
  static constexpr int64_t kLong = 255;  // a length that is not kept
  // Blocks are not counted if most strings are by so much longer than those whose lengths matter.
  static constexpr int64_t kWorthCounting = 4;

  std::unique_ptr<uint8_t[]> lengths_;
};

}  // namespace stringops::kernels
