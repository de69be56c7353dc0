// The second pass of every operator that cuts strings: pieces go to their places, ragged or padded. The places follow
// from the first pass; a writer never goes beyond what that pass measured for it, whatever the inputs hold by now.
// No torch here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "kernels/split_masks.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// What a task writes: bytes [bytes, bytes_end) of the result and pieces [pieces, pieces_end).
struct Share {
  int64_t bytes = 0, bytes_end = 0;
  int64_t pieces = 0, pieces_end = 0;
};

// Pieces one after the other: piece j ends at offsets[j + 1], row i has pieces [row_splits[i], row_splits[i + 1]).
// offsets[0] and row_splits[0] are the caller's.
class RaggedWriter {
 public:
  RaggedWriter(uint8_t* data, int32_t* offsets, int64_t* row_splits, const Share& share, int64_t first_row)
      : data_(data), ends_(offsets + 1), row_ends_(row_splits + 1), share_(share), row_(first_row) {}

  void tile(const simd::Primitives& simd, const Tile& tile, MaskSplitter& masks) {
    masks.count_rows(tile);
    simd.widen(masks.row_pieces(), tile.num_rows, share_.pieces, row_ends_ + row_);
    row_ += tile.num_rows;
    if (masks.num_repeats() == 0) {
      const simd::PieceCounts wrote = write(simd, tile, masks, ends_ + share_.pieces, ends_ + share_.pieces_end);
      share_.bytes += wrote.bytes;
      share_.pieces += wrote.pieces;
      fits_ &= wrote.complete;
      return;
    }
    const auto base = narrow<int32_t>(share_.bytes);
    const simd::PieceCounts wrote = write(simd, tile, masks, scratch_.data(), scratch_.data() + scratch_.size());
    share_.bytes += wrote.bytes;
    fits_ &= wrote.complete;
    const int32_t* from = scratch_.data();
    const int32_t* const from_end = from + wrote.pieces;
    const int64_t first = share_.pieces;
    int32_t last = base;
    const auto copy_ends = [&](int64_t count) {
      count = std::min({count, static_cast<int64_t>(from_end - from), share_.pieces_end - share_.pieces});
      if (count <= 0) return;
      std::copy_n(from, count, ends_ + share_.pieces);
      from += count;
      share_.pieces += count;
      last = from[-1];
    };
    for (int64_t r = 0; r < masks.num_repeats(); ++r) {
      copy_ends(first + masks.row_pieces()[masks.repeat_rows()[r]] - 1 - share_.pieces);
      const bool room = share_.pieces < share_.pieces_end;
      fits_ &= room;
      if (room) ends_[share_.pieces++] = last;
    }
    copy_ends(from_end - from);
    fits_ &= from == from_end;
  }

  void piece(const uint8_t* begin, const uint8_t* end) {
    const int64_t size = std::min<int64_t>(end - begin, share_.bytes_end - share_.bytes);
    fits_ &= size == end - begin;
    copy_short(data_ + share_.bytes, data_ + share_.bytes_end, begin, begin, size);
    share_.bytes += size;
    const bool room = share_.pieces < share_.pieces_end;
    fits_ &= room;
    if (room) ends_[share_.pieces++] = narrow<int32_t>(share_.bytes);
  }

  void end_row() { row_ends_[row_++] = share_.pieces; }

  // Whether the second pass found what the first one measured.
  bool complete() const { return fits_ && share_.bytes == share_.bytes_end && share_.pieces == share_.pieces_end; }

  // What of the share is left; its beginnings have moved to behind what is written.
  const Share& written() const { return share_; }

 private:
  simd::PieceCounts write(const simd::Primitives& simd, const Tile& tile, const MaskSplitter& masks, int32_t* ends,
                          const int32_t* ends_limit) const {
    return simd.write_pieces({tile.data, masks.keep(), masks.ends(), tile.num_bytes, narrow<int32_t>(share_.bytes),
                              data_ + share_.bytes, data_ + share_.bytes_end, ends, ends_limit});
  }

  uint8_t* const data_;
  int32_t* const ends_;
  int64_t* const row_ends_;
  Share share_;
  bool fits_ = true;  // nothing was left out for want of room
  int64_t row_;
  std::array<int32_t, kTileBytes> scratch_;
};

// The pieces that a row has in front of a cut through it: the cut where a task begins, and the one where it ends.
struct OpenPieces {
  int64_t begin = 0, end = 0;
};

// Rows of `width` pieces: row i's offsets are offsets[i * (width + 1)...]; missing pieces are empty and lie at the end
// of the row's last one.
class PaddedWriter {
 public:
  // Rows [first_row, last_row) end in the task; the first one's `open.begin` pieces are written by the tasks before,
  // and `open.end` of another one are expected of this task and those.
  PaddedWriter(uint8_t* data, int32_t* offsets, int64_t width, const Share& share, int64_t first_row, int64_t last_row,
               OpenPieces open)
      : data_(data),
        row_offsets_(offsets + first_row * (width + 1)),
        limit_(offsets + last_row * (width + 1)),
        width_(width),
        share_(share),
        open_end_(open.end),
        column_(open.begin),
        last_(narrow<int32_t>(share.bytes)) {}

  void tile(const simd::Primitives& simd, const Tile& tile, MaskSplitter& masks) {
    // A repeat ends where the piece before it does, and so does the padding: it needs no place of its own.
    masks.count_ends(tile);
    const int32_t* const counts = masks.row_pieces();
    const int32_t* const ends = scratch_.data();
    const simd::PieceCounts wrote = simd.write_pieces(
        {tile.data, masks.keep(), masks.ends(), tile.num_bytes, narrow<int32_t>(share_.bytes), data_ + share_.bytes,
         data_ + share_.bytes_end, scratch_.data(), scratch_.data() + scratch_.size()});
    int64_t row = 0;
    int32_t begin = 0;
    if (column_ > 0 && tile.num_rows > 0) {  // the end of a row that began in another tile
      take(ends, counts[0]);
      end_row();
      begin = counts[0];
      row = 1;
    }
    const int64_t rows = tile.num_rows - row;
    if (rows > 0) {
      last_ = simd.pad_rows(ends, begin, counts + row, rows, width_, last_, row_offsets_, limit_);
      row_offsets_ += rows * (width_ + 1);
      begin = counts[tile.num_rows - 1];
    }
    take(ends + begin, wrote.pieces - begin);
    share_.bytes += wrote.bytes;
    share_.pieces += wrote.pieces + masks.num_repeats();
    fits_ &= wrote.complete;
  }

  void piece(const uint8_t* begin, const uint8_t* end) {
    const int64_t size = std::min<int64_t>(end - begin, share_.bytes_end - share_.bytes);
    fits_ &= size == end - begin;
    if (column_ == 0) row_offsets_[0] = narrow<int32_t>(share_.bytes);
    copy_short(data_ + share_.bytes, data_ + share_.bytes_end, begin, begin, size);
    share_.bytes += size;
    last_ = narrow<int32_t>(share_.bytes);
    if (column_ < width_) row_offsets_[++column_] = last_;
    ++share_.pieces;
  }

  void end_row() {
    if (column_ == 0) row_offsets_[0] = last_;
    std::fill(row_offsets_ + column_ + 1, row_offsets_ + width_ + 1, last_);
    row_offsets_ += width_ + 1;
    column_ = 0;
  }

  // Pieces that moved from one row to another would leave the next task's first row with a gap.
  bool complete() const {
    return fits_ && share_.bytes == share_.bytes_end && share_.pieces == share_.pieces_end && column_ == open_end_;
  }

 private:
  // Appends `count` ends to the row.
  void take(const int32_t* from, int64_t count) {
    count = std::min(count, width_ - column_);
    if (count <= 0) return;
    if (column_ == 0) row_offsets_[0] = last_;
    std::copy_n(from, count, row_offsets_ + column_ + 1);
    column_ += count;
    last_ = from[count - 1];
  }

  uint8_t* const data_;
  int32_t* row_offsets_;
  const int32_t* const limit_;
  const int64_t width_;
  Share share_;
  bool fits_ = true;  // nothing was left out for want of room
  const int64_t open_end_;
  int64_t column_;  // pieces that the current row has so far
  int32_t last_;    // end of the last piece written
  std::array<int32_t, kTileBytes> scratch_;
};

}  // namespace stringops::kernels
