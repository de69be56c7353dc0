// Driver for functors that leave most strings as they are, which a test of many bytes finds. A functor has the cost
// and write() of a StringMap (map.h), and
//
//   bool keeps(bytes) const                      returns whether all strings of these bytes stay as they are
//   std::optional<int64_t> find_size(in) const   returns the size of a result, or nothing if it is `in`
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/strings.h"
#include "driver/map.h"
#include "split/blocks.h"

namespace stringops::kernels {

template <class Functor>
class StableWorker {
 public:
  explicit StableWorker(const Functor& f) : f_(f) {}

  int64_t measure(const StringSpan& in, int64_t first, int64_t last) {
    changed_.assign(static_cast<size_t>(words_for(last - first)), 0);
    int64_t bytes = 0;
    for_each(
        in, first, last, [&](const Block& block) { bytes += block.num_bytes; },
        [&](int64_t i, StringView string) {
          const auto size = f_.keeps(string) ? std::nullopt : f_.find_size(string);
          if (size) set_bit(changed_.data(), i - first);
          bytes += size.value_or(string.size());
        });
    return bytes;
  }

  bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit) const {
    OffsetsWriter offsets(out.offsets, first);
    bool fits = true;
    for_each(
        in, first, last,
        [&](const Block& block) {
          fits = fits && block.num_bytes <= limit - at;
          if (!fits) return;
          copy_bytes(out.data + at, block.data, block.num_bytes);
          offsets.append(block.string_ends.data(), block.num_strings, at);
          at += block.num_bytes;
        },
        [&](int64_t i, StringView string) {
          uint8_t *const to = out.data + at, *const to_end = out.data + limit;
          if (test_bit(changed_.data(), i - first)) {
            at = f_.write(string, to, to_end) - out.data;
          } else {
            fits = fits && string.size() <= limit - at;
            if (!fits) return;
            copy_bytes(to, string.begin, string.size());
            at += string.size();
          }
          offsets.push(at);
        });
    return fits && at == limit;
  }

 private:
  // Calls keep(block) for blocks of strings that stay as they are, and take(i, string) for each other string.
  template <class Keep, class Take>
  void for_each(const StringSpan& in, int64_t first, int64_t last, Keep&& keep, Take&& take) const {
    read_blocks(
        in, first, last,
        [&](const Block& block) {
          if (!f_.keeps({block.data, block.data + block.num_bytes})) return false;
          keep(block);
          return true;
        },
        take);
  }

  const Functor& f_;
  std::vector<uint64_t> changed_;  // bit k is set if the result of string first + k is not the string itself
};

struct StableMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<StableWorker<Functor>>(op, runner, f, Functor::kCost, in, allocate);
  }
};

}  // namespace stringops::kernels
