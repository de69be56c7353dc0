// The sink of ragged results: all pieces, one after the other, and row splits.
//
// Every sink but that of spans takes the pieces of strings in order: piece() and end_string() one by one, or block()
// for all pieces of a block. `readable_end` is the end of the bytes that hold a piece; those after the piece may be
// read. A sink never writes outside its task's output range, even if the strings have changed since they were measured
// (race); complete() then returns false.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "driver/output_range.h"
#include "simd/primitives.h"
#include "split/block_splitter.h"

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
    const bool has_repeats = masks.num_repeats() > 0;
    const int64_t pieces = range_.pieces;
    if (has_repeats && !repeats_) repeats_.reset(new Repeats);
    if (has_repeats) repeats_->ends[0] = narrow<int32_t>(range_.bytes);
    const simd::PieceCounts wrote = has_repeats ? write(block, masks, repeats_->ends.data() + 1, repeats_->ends.end())
                                                : write(block, masks, ends_ + pieces, ends_ + range_.pieces_end);
    range_.bytes += wrote.bytes;
    fits_ &= wrote.complete;
    masks.count_strings(block);
    simd.widen(masks.string_pieces(), block.num_strings, pieces, row_ends_ + string_);
    string_ += block.num_strings;
    if (!has_repeats) {
      range_.pieces += wrote.pieces;
    } else if (wrote.complete) {
      put_ends_and_repeats(block, masks, wrote.pieces + masks.num_repeats());
    }
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

  // Returns the rest of the range.
  const OutputRange& rest() const { return range_; }

 private:
  // Writes the `count` ends of the block's pieces; the end of a repeat is written once more.
  void put_ends_and_repeats(const Block& block, const BlockSplitter& masks, int64_t count) {
    const int64_t fitting = std::min(count, range_.pieces_end - range_.pieces);
    fits_ &= fitting == count;
    const int32_t* end = repeats_->ends.data();
    int32_t* const out = ends_ + range_.pieces;
    range_.pieces += fitting;
    int64_t at = 0;
    for (int64_t k = 0; k < block.num_strings; ++k) {
      if (!masks.ends_in_repeat(k)) continue;
      for (const int64_t repeat = std::min<int64_t>(masks.string_pieces()[k] - 1, fitting); at < repeat; ++at) {
        out[at] = *++end;
      }
      if (at < fitting) out[at++] = *end;
    }
    for (; at < fitting; ++at) out[at] = *++end;
  }

  simd::PieceCounts write(const Block& block, BlockSplitter& masks, int32_t* ends, const int32_t* ends_limit) const {
    return masks.write(block, narrow<int32_t>(range_.bytes), data_ + range_.bytes, data_ + range_.bytes_end, ends,
                       ends_limit);
  }

  uint8_t* const data_;
  int32_t* const ends_;
  int64_t* const row_ends_;
  OutputRange range_;
  bool fits_ = true;  // nothing has been left out for lack of room
  int64_t string_;
  // The buffers of a block are not on the stack, of which a thread may have 64 KB.
  struct Repeats {
    std::array<int32_t, kBlockBytes + 1> ends;  // after the end of the piece before them
  };
  std::unique_ptr<Repeats> repeats_;
};

}  // namespace stringops::kernels
