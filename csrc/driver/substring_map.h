// Driver for functors that return a substring, mostly with few bytes of its string. The first pass notes where it is in
// each string; the second one copies it. A functor has
//
//   using Driver = SubstringMap
//   static constexpr Cost kCost      what it takes (driver/runner.h)
//   StringView piece(in) const       returns the part of `in` that the result is a copy of
//   bool find_pieces(block, pieces) const   sets pieces[k] for strings k of a block (split/blocks.h), or returns false,
//                                    and the strings are taken one by one
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/strings.h"
#include "driver/map.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// The worker of a task (map.h). It keeps where the part of each string is.
template <class Functor>
class SubstringWorker {
 public:
  explicit SubstringWorker(const Functor& f) : f_(f) {}

  int64_t measure(const StringSpan& in, int64_t first, int64_t last) {
    const Functor& f = f_;
    pieces_.reset(new simd::ShortPiece[static_cast<size_t>(last - first)]);
    simd::ShortPiece* const pieces = pieces_.get() - first;
    int64_t bytes = 0;
    const auto add = [&](int64_t i, StringView string) {
      const StringView part = f.piece(string);
      pieces[i] = simd::short_piece(part.begin - string.begin, part.size());
      bytes += part.size();
    };
    const auto take = [&](const Block& block) {
      simd::ShortPiece* const found = pieces + block.first_string;
      if (!f.find_pieces(block, found)) return false;
      // Sums without a branch, which are vectorized; long pieces, mostly none, are corrected.
      int32_t sizes = 0, num_long = 0;
      for (int64_t k = 0; k < block.num_strings; ++k) {
        sizes += found[k].size;
        num_long += found[k].size == simd::ShortPiece::kLong;
      }
      bytes += sizes - num_long * simd::ShortPiece::kLong;
      for (int64_t k = 0; k < block.num_strings && num_long > 0; ++k) {
        if (!found[k].is_long()) continue;
        --num_long;
        add(block.first_string + k, block.string(k));
      }
      return true;
    };
    read_blocks(in, first, last, take, add);
    return bytes;
  }

  bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit) const {
    const Functor& f = f_;
    const auto part_of = [&](int64_t i, StringView string) -> StringView {
      const simd::ShortPiece piece = pieces_[static_cast<size_t>(i - first)];
      if (piece.is_long()) return f.piece(string);
      const uint8_t* const begin = string.begin + std::min<int64_t>(piece.skip, string.size());
      return {begin, begin + std::min<int64_t>(piece.size, string.end - begin)};
    };
    constexpr int64_t kRun = 256;
    // Nearly all parts fit into the first copy, since the branch is unpredictable if half of them do.
    const int64_t mean = (limit - at) / std::max<int64_t>(last - first, 1);
    const int64_t first_copy = mean > kShortCopy ? kMediumCopy : mean > kShortCopy / 2 ? 2 * kShortCopy : kShortCopy;
    OffsetsWriter offsets(out.offsets, first);
    int32_t part_ends[kRun];
    for (int64_t i = first; i < last; i += kRun) {
      const int64_t count = std::min(kRun, last - i);
      const simd::ShortPiece* const pieces = pieces_.get() + (i - first);
      const int32_t* const string_offsets = in.offsets + i;
      // These are local variables, because the compiler must assume that storing bytes changes members.
      const uint8_t* const data = in.data;
      const int64_t num_bytes = in.num_bytes, origin = at;
      int64_t to = at;
      for (int64_t k = 0; k < count; ++k) {
        const int64_t begin = int64_t{string_offsets[k]} + pieces[k].skip, size = pieces[k].size;
        // One branch for all conditions of a copy of so many bytes: each is not negative.
        const auto fits = [&](int64_t n) {
          return (begin | (num_bytes - n - begin) | (limit - n - to) | (n - size)) >= 0;
        };
        if (fits(first_copy)) {
          std::memcpy(out.data + to, data + begin, kShortCopy);
          for (int64_t n = kShortCopy; n < first_copy; n += kShortCopy) {
            std::memcpy(out.data + to + n, data + begin + n, kShortCopy);
          }
          to += size;
        } else if (fits(kMediumCopy)) {
          copy_medium(out.data + to, data + begin);
          to += size;
        } else {
          const StringView part = part_of(i + k, in.view(in.range(i + k)));
          to = append_range(out.data, to, limit, data, num_bytes, part.begin - data, part.end - data);
        }
        part_ends[k] = narrow<int32_t>(to - origin);
      }
      at = to;
      offsets.append(part_ends, count, origin);
    }
    return at == limit;
  }

 private:
  const Functor& f_;
  std::unique_ptr<simd::ShortPiece[]> pieces_;
};

struct SubstringMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<SubstringWorker<Functor>>(op, runner, f, Functor::kCost, in, allocate);
  }
};

}  // namespace stringops::kernels
