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
#include <memory>

#include "core/narrow.h"
#include "core/strings.h"
#include "driver/gather_writer.h"
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
    constexpr int64_t kRun = 256;
    int32_t begins[kRun], ends[kRun];
    GatherWriter writer({out.data, out.offsets}, {at, limit, first, last});
    for (int64_t i = first; i < last; i += kRun) {
      const int64_t count = std::min(kRun, last - i);
      const simd::ShortPiece* const pieces = pieces_.get() + (i - first);
      for (int64_t k = 0; k < count; ++k) {
        const uint32_t begin = static_cast<uint32_t>(in.offsets[i + k]) + pieces[k].skip;
        begins[k] = static_cast<int32_t>(begin);
        ends[k] = static_cast<int32_t>(begin + pieces[k].size);
        if (!pieces[k].is_long()) continue;
        const StringView part = f_.piece(in.view(in.range(i + k)));
        begins[k] = narrow<int32_t>(part.begin - in.data);
        ends[k] = narrow<int32_t>(part.end - in.data);
      }
      writer.append_ranges({&in, begins, ends, count}, false);
    }
    return writer.complete();
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
