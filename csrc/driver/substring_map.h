// Driver for functors that return a substring. The first pass notes where it is in each string; in the second one, runs
// of adjacent strings that do not change are copied at once. A functor has
//
//   using Driver = SubstringMap<FindBy::kString>
//   static constexpr Cost kCost      what it takes (driver/runner.h)
//   StringView piece(in) const       returns the part of `in` that the result is a copy of
//
// or another FindBy, and in addition to these members:
//
//   kTest    void find_changes(in, first, count, out) const   sets out[k] to whether the part of string first + k may
//   be
//                                    less than all of it
//   kBlock   bool find_pieces(block, pieces) const   sets pieces[k] for strings k of a block (split/blocks.h), except
//                                    one that continues; or returns false, and the strings are taken one by one
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/strings.h"
#include "core/testing.h"
#include "driver/changes_writer.h"
#include "driver/map.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

enum class FindBy : uint8_t { kString, kTest, kBlock };

// The worker of a task (map.h). It keeps where the part of each string is.
template <class Functor, FindBy kBy>
class SubstringWorker {
 public:
  explicit SubstringWorker(const Functor& f) : f_(f) {}

  int64_t measure(const StringSpan& in, int64_t first, int64_t last) {
    const Functor& f = f_;
    pieces_.reset(new simd::ShortPiece[static_cast<size_t>(last - first)]);
    if (kMarksChanges) changed_.assign(static_cast<size_t>(words_for(last - first)), 0);
    simd::ShortPiece* const pieces = pieces_.get() - first;
    int64_t bytes = 0;
    const auto add = [&](int64_t i, StringView string) {
      const StringView part = f.piece(string);
      pieces[i] = simd::short_piece(part.begin - string.begin, part.size());
      bytes += part.size();
      if (part.size() == string.size()) return;
      ++num_changed_;
      if (kMarksChanges) set_bit(changed_.data(), i - first);
    };
    if constexpr (kBy == FindBy::kBlock) {
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
    } else if constexpr (kBy == FindBy::kTest) {
      constexpr int64_t kRun = block_size(512, 8);
      bool changes[kRun];
      for_each_string(in, first, last, [&](int64_t i, ByteRange range) {
        const int64_t k = (i - first) % kRun;
        if (k == 0) f.find_changes(in, i, std::min(kRun, last - i), changes);
        if (changes[k]) {
          add(i, in.view(range));
        } else {
          pieces[i] = simd::short_piece(0, range.size());
          bytes += range.size();
        }
      });
    } else {
      for_each_string(in, first, last, [&](int64_t i, ByteRange range) { add(i, in.view(range)); });
    }
    return bytes;
  }

  bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit) const {
    const Functor& f = f_;
    const simd::ShortPiece* const pieces = pieces_.get() - first;
    const auto part_of = [&](int64_t i, StringView string) -> StringView {
      const simd::ShortPiece piece = pieces[i];
      if (piece.is_long()) return f.piece(string);
      const uint8_t* const begin = string.begin + std::min<int64_t>(piece.skip, string.size());
      return {begin, begin + std::min<int64_t>(piece.size, string.end - begin)};
    };
    if (num_changed_ > (last - first) / kManyChanges) return write_parts(part_of, in, first, last, out, at, limit);
    ChangesWriter writer(in, {out.data, out.offsets}, {at, limit, first, last});
    int64_t whole = first;  // the first string that is not written
    const auto write_one = [&](int64_t i, StringView string) {
      const StringView part = part_of(i, string);
      if (part.size() == string.size()) return;
      writer.append_whole(whole, i);
      writer.append_part(part);
      whole = i + 1;
    };
    if constexpr (!kMarksChanges) {
      for_each_string(in, first, last, [&](int64_t i, ByteRange string) { write_one(i, in.view(string)); });
    } else {
      for_each_bit(changed_.data(), static_cast<int64_t>(changed_.size()),
                   [&](int64_t k) { write_one(first + k, in.view(in.range(first + k))); });
    }
    writer.append_whole(whole, last);
    return writer.finish();
  }

 private:
  static constexpr bool kMarksChanges = kBy != FindBy::kBlock;

  // Writes the part of each string by itself. There is at least one string.
  template <class PartOf>
  bool write_parts(const PartOf& part_of, const StringSpan& in, int64_t first, int64_t last, const MapOutput& out,
                   int64_t at, int64_t limit) const {
    constexpr int64_t kRun = 256;
    // Nearly all parts fit into the first copy, since the branch is unpredictable if half of them do.
    const int64_t mean = (limit - at) / (last - first);
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

  // If more than one of so many strings changes, runs between those that change are too short to be worth it.
  static constexpr int64_t kManyChanges = 8;

  const Functor& f_;
  std::unique_ptr<simd::ShortPiece[]> pieces_;
  // Bit k is set if the result of string first + k is not the string itself; empty without kMarksChanges.
  std::vector<uint64_t> changed_;
  int64_t num_changed_ = 0;
};

template <FindBy kBy>
struct SubstringMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    map_tasks<SubstringWorker<Functor, kBy>>(op, runner, f, Functor::kCost, in, allocate);
  }
};

}  // namespace stringops::kernels
