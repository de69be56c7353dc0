// The sink of padded results: a row of `width` pieces for each string. Missing pieces are empty strings at the end of
// the row's last piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "driver/output_range.h"
#include "simd/primitives.h"
#include "split/block_splitter.h"

namespace stringops::kernels {

struct PaddedOutput {
  uint8_t* data;
  int32_t* offsets;  // row i has offsets[i * (width + 1)] and the `width` that follow
  int64_t width;     // pieces of a row
};

// The number of pieces of a string before a position, if a task begins or ends inside that string.
struct OpenPieces {
  int64_t begin = 0, end = 0;
};

class PaddedSink {
 public:
  // Rows [first_row, last_row) end in the task. Earlier tasks write the first `open.begin` pieces of the first row;
  // this task and earlier ones write the first `open.end` pieces of row last_row.
  PaddedSink(const PaddedOutput& out, const OutputRange& range, int64_t first_row, int64_t last_row, OpenPieces open)
      : data_(out.data),
        row_offsets_(out.offsets + first_row * (out.width + 1)),
        limit_(out.offsets + last_row * (out.width + 1)),
        width_(out.width),
        range_(range),
        open_end_(open.end),
        column_(open.begin),
        last_(narrow<int32_t>(range.bytes)) {}

  void block(const simd::Primitives& simd, const Block& block, BlockSplitter& masks) {
    // Repeats need no treatment: a repeat has the same end as the piece before it, as the padding has.
    if (!ends_of_block_) ends_of_block_.reset(new int32_t[kBlockBytes]);
    int32_t* const ends = ends_of_block_.get();
    const simd::PieceCounts wrote = masks.write(block, narrow<int32_t>(range_.bytes), data_ + range_.bytes,
                                                data_ + range_.bytes_end, ends, ends + kBlockBytes);
    masks.count_ends(block);
    const int32_t* const counts = masks.string_pieces();
    int64_t string = 0;
    int32_t begin = 0;
    if (column_ > 0 && block.num_strings > 0) {  // the end of a string that began in another block
      take(ends, counts[0]);
      end_string();
      begin = counts[0];
      string = 1;
    }
    const int64_t rows = block.num_strings - string;
    if (rows > 0) {
      last_ = simd.pad_rows(ends, begin, counts + string, rows, width_, last_, row_offsets_, limit_);
      row_offsets_ += rows * (width_ + 1);
      begin = counts[block.num_strings - 1];
    }
    take(ends + begin, wrote.pieces - begin);
    range_.bytes += wrote.bytes;
    range_.pieces += wrote.pieces + masks.num_repeats();
    fits_ &= wrote.complete;
  }

  void piece(StringView text, const uint8_t* readable_end) {
    const int64_t size = std::min(text.size(), range_.bytes_end - range_.bytes);
    fits_ &= size == text.size();
    if (column_ == 0) row_offsets_[0] = narrow<int32_t>(range_.bytes);
    copy_short(data_ + range_.bytes, data_ + range_.bytes_end, text.begin, readable_end, size);
    range_.bytes += size;
    last_ = narrow<int32_t>(range_.bytes);
    if (column_ < width_) row_offsets_[++column_] = last_;
    ++range_.pieces;
  }

  void end_string() {
    if (column_ == 0) row_offsets_[0] = last_;
    std::fill(row_offsets_ + column_ + 1, row_offsets_ + width_ + 1, last_);
    row_offsets_ += width_ + 1;
    column_ = 0;
  }

  // column_ is checked, because pieces that moved to another row would leave a gap in the next task's first row.
  bool complete() const { return fits_ && range_.is_full() && column_ == open_end_; }

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
  OutputRange range_;
  bool fits_ = true;  // nothing has been left out for lack of room
  const int64_t open_end_;
  int64_t column_;                            // pieces that the current row has so far
  int32_t last_;                              // end of the last piece written
  std::unique_ptr<int32_t[]> ends_of_block_;  // not on the stack, of which a thread may have 64 KB
};

}  // namespace stringops::kernels
