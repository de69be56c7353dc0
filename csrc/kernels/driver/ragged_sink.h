// The sink of ragged results: all pieces, one after the other, and row splits.
//
// Every sink takes the pieces of strings in order: piece() and end_string() one by one, or block() for all pieces of a
// block. `readable_end` is the end of the bytes that hold a piece; those after the piece may be read. A sink never
// writes outside its task's output range, even if the strings have changed since they were measured (race); complete()
// then returns false.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "kernels/driver/block_splitter.h"
#include "kernels/driver/output_range.h"
#include "simd/primitives.h"

namespace stringops::kernels {

struct RaggedOutput {
  uint8_t* data;
  int32_t* offsets;     // piece j ends at offsets[j + 1]; offsets[0] is 0
  int64_t* row_splits;  // string i has the pieces from row_splits[i] to row_splits[i + 1]; row_splits[0] is 0
};

class RaggedSink {
 public:
  RaggedSink(const RaggedOutput& out, const OutputRange& range, int64_t first_string)
      : data_(out.data), ends_(out.offsets + 1), row_ends_(out.row_splits + 1), range_(range), string_(first_string) {}

  void block(const simd::Primitives& simd, const Block& block, BlockSplitter& masks) {
    masks.count_strings(block);
    simd.widen(masks.string_pieces(), block.num_strings, range_.pieces, row_ends_ + string_);
    string_ += block.num_strings;
    if (masks.num_repeats() == 0) {
      const simd::PieceCounts wrote = write(simd, block, masks, ends_ + range_.pieces, ends_ + range_.pieces_end);
      range_.bytes += wrote.bytes;
      range_.pieces += wrote.pieces;
      fits_ &= wrote.complete;
      return;
    }
    const auto base = narrow<int32_t>(range_.bytes);
    const simd::PieceCounts wrote = write(simd, block, masks, scratch_.data(), scratch_.data() + scratch_.size());
    range_.bytes += wrote.bytes;
    fits_ &= wrote.complete;
    const int32_t* from = scratch_.data();
    const int32_t* const from_end = from + wrote.pieces;
    const int64_t first = range_.pieces;
    int32_t last = base;
    const auto copy_ends = [&](int64_t count) {
      count = std::min({count, static_cast<int64_t>(from_end - from), range_.pieces_end - range_.pieces});
      if (count <= 0) return;
      std::copy_n(from, count, ends_ + range_.pieces);
      from += count;
      range_.pieces += count;
      last = from[-1];
    };
    for (int64_t r = 0; r < masks.num_repeats(); ++r) {
      copy_ends(first + masks.string_pieces()[masks.repeat_strings()[r]] - 1 - range_.pieces);
      const bool room = range_.pieces < range_.pieces_end;
      fits_ &= room;
      if (room) ends_[range_.pieces++] = last;
    }
    copy_ends(from_end - from);
    fits_ &= from == from_end;
  }

  void piece(StringView text, const uint8_t* readable_end) {
    const int64_t size = std::min(text.size(), range_.bytes_end - range_.bytes);
    fits_ &= size == text.size();
    copy_short(data_ + range_.bytes, data_ + range_.bytes_end, text.begin, readable_end, size);
    range_.bytes += size;
    const bool room = range_.pieces < range_.pieces_end;
    fits_ &= room;
    if (room) ends_[range_.pieces++] = narrow<int32_t>(range_.bytes);
  }

  void end_string() { row_ends_[string_++] = range_.pieces; }

  bool complete() const { return fits_ && range_.is_full(); }

  // What is left of the range.
  const OutputRange& rest() const { return range_; }

 private:
  simd::PieceCounts write(const simd::Primitives& simd, const Block& block, const BlockSplitter& masks, int32_t* ends,
                          const int32_t* ends_limit) const {
    return simd.write_pieces({block.data, masks.keep(), masks.ends(), block.num_bytes, narrow<int32_t>(range_.bytes),
                              data_ + range_.bytes, data_ + range_.bytes_end, ends, ends_limit});
  }

  uint8_t* const data_;
  int32_t* const ends_;
  int64_t* const row_ends_;
  OutputRange range_;
  bool fits_ = true;  // nothing has been left out for lack of room
  int64_t string_;
  std::array<int32_t, kBlockBytes> scratch_;
};

}  // namespace stringops::kernels
