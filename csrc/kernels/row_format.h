// The sink of formats that add bytes to the tokens: markers around each row, padding with a non-empty string. Without
// either, RaggedSink and PaddedSink are used.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "driver/output_range.h"
#include "split/block_splitter.h"

namespace stringops::kernels {

struct RowFormat {
  bool mark;                     // "\x02" before and "\x03" after the tokens
  std::optional<int64_t> width;  // tokens and markers per row, filled up with `padding`; none: ragged
  std::string_view padding;

  // If false, RaggedSink or PaddedSink is used; the latter does not count padding among its pieces.
  bool adds_bytes() const { return mark || !padding.empty(); }
};

class FormattedSink {
 public:
  // Writes whole rows from `first_row` on. The range includes markers and padding. `row_splits` is null if padded.
  FormattedSink(const RowFormat& format, const OutputRange& range, uint8_t* data, int32_t* offsets, int64_t* row_splits,
                int64_t first_row)
      : format_(format),
        range_(range),
        data_(data),
        // Each padded row begins with an offset of its own.
        ends_(format.width ? offsets + first_row * (*format.width + 1) : offsets + 1 + range.pieces),
        row_ends_(row_splits ? row_splits + first_row + 1 : nullptr) {}

  void block(const simd::Primitives&, const Block& block, BlockSplitter& masks) {
    if (!block_) block_.reset(new Tokens);
    masks.count_ends(block);
    auto& bytes = block_->bytes;
    auto& ends = block_->ends;
    const simd::PieceCounts wrote = masks.write(block, 0, bytes.begin(), bytes.end(), ends.begin(), ends.end());
    int64_t at = 0;  // tokens of the block written so far, and where the next one begins
    int32_t begin = 0;
    const auto take = [&](int64_t last) {
      for (; at < last; begin = ends[static_cast<size_t>(at++)]) {
        piece({bytes.begin() + begin, bytes.begin() + ends[static_cast<size_t>(at)]}, bytes.end());
      }
    };
    for (int64_t k = 0; k < block.num_strings; ++k) {
      take(masks.string_pieces()[k]);
      end_string();
    }
    // Bytes after the last string have no row.
    if (block.num_strings > 0 && block.end(block.num_strings - 1) == block.num_bytes) return;
    // The last token of a string that continues may be incomplete; the next block has the rest.
    take(wrote.pieces);
    if (wrote.bytes > begin) {
      begin_string();
      put_bytes(bytes.begin() + begin, wrote.bytes - begin, bytes.end());
    }
  }

  void piece(StringView text, const uint8_t* readable_end) {
    begin_string();
    put_bytes(text.begin, text.size(), readable_end);
    end_piece();
  }

  void end_string() {
    begin_string();
    if (format_.mark) put_marker(0x03);
    const auto* const padding = reinterpret_cast<const uint8_t*>(format_.padding.data());
    const StringView text{padding, padding + format_.padding.size()};
    while (format_.width && column_ < *format_.width && fits_) piece(text, text.end);
    if (row_ends_) *row_ends_++ = range_.pieces;
    in_string_ = false;
    column_ = 0;
  }

  bool complete() const { return fits_ && range_.is_full(); }

 private:
  void begin_string() {
    if (in_string_) return;
    in_string_ = true;
    if (format_.width) *ends_++ = narrow<int32_t>(range_.bytes);
    if (format_.mark) put_marker(0x02);
  }

  void put_marker(uint8_t byte) {
    put_bytes(&byte, 1, &byte + 1);
    end_piece();
  }

  void put_bytes(const uint8_t* from, int64_t size, const uint8_t* readable_end) {
    const int64_t fitting = std::clamp<int64_t>(size, 0, range_.bytes_end - range_.bytes);
    fits_ &= fitting == size;
    copy_short(data_ + range_.bytes, data_ + range_.bytes_end, from, readable_end, fitting);
    range_.bytes += fitting;
  }

  void end_piece() {
    const bool room = range_.pieces < range_.pieces_end && (!format_.width || column_ < *format_.width);
    fits_ &= room;
    if (!room) return;
    *ends_++ = narrow<int32_t>(range_.bytes);
    ++range_.pieces;
    ++column_;
  }

  const RowFormat format_;
  OutputRange range_;
  uint8_t* const data_;
  int32_t* ends_;
  int64_t* row_ends_;
  bool in_string_ = false;
  bool fits_ = true;  // nothing has been left out for lack of room
  int64_t column_ = 0;
  // Of a block; it is not on the stack, of which a thread may have 64 KB.
  struct Tokens {
    std::array<uint8_t, kBlockBytes> bytes;
    std::array<int32_t, kBlockBytes> ends;
  };
  std::unique_ptr<Tokens> block_;
};

}  // namespace stringops::kernels
