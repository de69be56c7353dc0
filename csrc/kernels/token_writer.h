// Rows of tokens between markers, and padded with a string of any length: what RaggedWriter and PaddedWriter, which add
// no bytes, cannot write. No torch here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "kernels/piece_writer.h"
#include "kernels/split_masks.h"

namespace stringops::kernels {

// What stands around the tokens of a row.
struct TokenFrame {
  bool mark;                     // "\x02" before and "\x03" behind the tokens
  std::optional<int64_t> width;  // tokens and markers a row, the missing ones `padding`; none: ragged
  std::string_view padding;

  // Where not, RaggedWriter and PaddedWriter serve; the latter counts no padding among its pieces.
  bool adds_bytes() const { return mark || !padding.empty(); }
};

class TokenWriter {
 public:
  // Whole rows from `first_row` on. share.pieces counts markers and padding too.
  TokenWriter(const TokenFrame& frame, const Share& share, uint8_t* data, int32_t* offsets, int64_t* row_splits,
              int64_t first_row)
      : frame_(frame),
        share_(share),
        data_(data),
        // Padded rows begin with an offset of their own.
        ends_(frame.width ? offsets + first_row * (*frame.width + 1) : offsets + 1 + share.pieces),
        row_ends_(row_splits ? row_splits + first_row + 1 : nullptr) {}

  void tile(const simd::Primitives& simd, const Tile& tile, MaskSplitter& masks) {
    masks.count_ends(tile);
    const simd::PieceCounts wrote =
        simd.write_pieces({tile.data, masks.keep(), masks.ends(), tile.num_bytes, 0, bytes_.data(),
                           bytes_.data() + bytes_.size(), tokens_.data(), tokens_.data() + tokens_.size()});
    int32_t at = 0;  // tokens of the tile that are written
    for (int64_t k = 0; k < tile.num_rows; ++k) {
      const int32_t last = std::max(masks.row_pieces()[k], at);
      append(at, last);
      end_row();
      at = last;
    }
    // A row that goes on: its last token may lack bytes, which the next tile brings.
    append(at, narrow<int32_t>(wrote.pieces));
    const int32_t done = wrote.pieces > 0 ? tokens_[static_cast<size_t>(wrote.pieces - 1)] : 0;
    if (wrote.bytes > done) {
      begin_row();
      put_bytes(bytes_.data() + done, wrote.bytes - done);
    }
  }

  void piece(const uint8_t* begin, const uint8_t* end) {
    begin_row();
    put_bytes(begin, end - begin);
    end_piece();
  }

  void end_row() {
    begin_row();
    if (frame_.mark) put("\x03");
    if (frame_.width) {
      put_padding(*frame_.width - column_);
    }
    if (row_ends_) *row_ends_++ = share_.pieces;
    in_row_ = false;
    column_ = 0;
  }

  bool complete() const { return fits_ && share_.bytes == share_.bytes_end && share_.pieces == share_.pieces_end; }

 private:
  void begin_row() {
    if (in_row_) return;
    in_row_ = true;
    if (frame_.width) *ends_++ = narrow<int32_t>(share_.bytes);
    if (frame_.mark) put("\x02");
  }

  // Tokens [first, last) of the tile.
  void append(int32_t first, int32_t last) {
    for (int32_t t = first; t < last; ++t) {
      const int32_t begin = t > 0 ? tokens_[static_cast<size_t>(t - 1)] : 0;
      piece(bytes_.data() + begin, bytes_.data() + tokens_[static_cast<size_t>(t)]);
    }
  }

  void put(std::string_view text) {
    put_bytes(reinterpret_cast<const uint8_t*>(text.data()), static_cast<int64_t>(text.size()));
    end_piece();
  }

  // All at once: a short row beside a long one is mostly padding.
  void put_padding(int64_t count) {
    const auto size = static_cast<int64_t>(frame_.padding.size());
    if (count <= 0) return;
    if (share_.bytes_end - share_.bytes < count * size || share_.pieces_end - share_.pieces < count) {
      fits_ = false;
      return;
    }
    uint8_t* const to = data_ + share_.bytes;
    if (size == 1) {
      std::memset(to, frame_.padding[0], static_cast<size_t>(count));
    } else {
      for (int64_t i = 0; i < count && size > 0; ++i) {
        std::memcpy(to + i * size, frame_.padding.data(), static_cast<size_t>(size));
      }
    }
    for (int64_t i = 0; i < count; ++i) ends_[i] = narrow<int32_t>(share_.bytes + (i + 1) * size);
    ends_ += count;
    share_.bytes += count * size;
    share_.pieces += count;
    column_ += count;
  }

  void put_bytes(const uint8_t* from, int64_t size) {
    const int64_t fitting = std::clamp<int64_t>(size, 0, share_.bytes_end - share_.bytes);
    fits_ &= fitting == size;
    copy_short(data_ + share_.bytes, data_ + share_.bytes_end, from, from + size, fitting);
    share_.bytes += fitting;
  }

  void end_piece() {
    const bool room = share_.pieces < share_.pieces_end && (!frame_.width || column_ < *frame_.width);
    fits_ &= room;
    if (!room) return;
    *ends_++ = narrow<int32_t>(share_.bytes);
    ++share_.pieces;
    ++column_;
  }

  const TokenFrame frame_;
  Share share_;
  uint8_t* const data_;
  int32_t* ends_;
  int64_t* row_ends_;
  bool in_row_ = false;
  bool fits_ = true;  // nothing was left out for want of room
  int64_t column_ = 0;
  std::array<uint8_t, kTileBytes> bytes_;
  std::array<int32_t, kTileBytes> tokens_;
};

}  // namespace stringops::kernels
