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
        row_ends_(row_splits ? row_splits + first_row + 1 : nullptr),
        padding_size_(static_cast<int64_t>(format.padding.size())) {
    if (padding_size_ == 0 || padding_size_ > kRepeated) return;
    repeated_size_ = kRepeated / padding_size_ * padding_size_;
    for (int64_t i = 0; i < repeated_size_; i += padding_size_) {
      std::copy_n(format.padding.data(), padding_size_, repeated_.begin() + i);
    }
  }

  void block(const simd::Primitives&, const Block& block, BlockSplitter& masks) {
    if (!block_) block_.reset(new Tokens);
    masks.count_ends(block);
    std::array<int32_t, kBlockBytes + kStep>& ends = block_->ends;
    const simd::PieceCounts wrote =
        masks.write(block, 0, block_->bytes.begin(), block_->bytes.end(), ends.data(), ends.data() + kBlockBytes);
    int32_t at = 0;  // tokens of the block written so far
    for (int64_t k = 0; k < block.num_strings; ++k) {
      const int32_t last = std::max(masks.string_pieces()[k], at);
      append(at, last);
      end_string();
      at = last;
    }
    // Bytes after the last string have no row.
    if (block.num_strings > 0 && block.end(block.num_strings - 1) == block.num_bytes) return;
    // The last token of a string that continues may be incomplete; the next block has the rest.
    append(at, narrow<int32_t>(wrote.pieces));
    const int32_t done = wrote.pieces > 0 ? ends[static_cast<size_t>(wrote.pieces - 1)] : 0;
    if (wrote.bytes > done) {
      begin_string();
      put_bytes(block_->bytes.begin() + done, wrote.bytes - done, block_->bytes.end());
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
    if (format_.width) put_padding(*format_.width - column_);
    if (row_ends_) *row_ends_++ = range_.pieces;
    in_string_ = false;
    column_ = 0;
  }

  bool complete() const { return fits_ && range_.is_full(); }

 private:
  static constexpr int64_t kRepeated = 128;  // bytes of padding that are copied at once
  static constexpr int64_t kStep = 8;        // ends that are written at once

  void begin_string() {
    if (in_string_) return;
    in_string_ = true;
    if (format_.width) *ends_++ = narrow<int32_t>(range_.bytes);
    if (format_.mark) put_marker(0x02);
  }

  // Writes tokens [first, last) of the block, which are adjacent.
  void append(int32_t first, int32_t last) {
    if (first >= last) return;
    begin_string();
    const int32_t* const ends = block_->ends.data() + first;
    const int32_t begin = first > 0 ? ends[-1] : 0;
    const auto shift = static_cast<uint32_t>(range_.bytes - begin);
    put_bytes(block_->bytes.begin() + begin, ends[last - first - 1] - begin, block_->bytes.end());
    put_ends(last - first, [&](int64_t step, int64_t i) { return static_cast<uint32_t>(ends[step + i]) + shift; });
  }

  void put_marker(uint8_t byte) {
    const bool room = range_.bytes < range_.bytes_end;
    fits_ &= room;
    if (room) data_[range_.bytes++] = byte;
    end_piece();
  }

  // All padding at once, as a short row among longer ones is mostly padding.
  void put_padding(int64_t count) {
    const int64_t size = padding_size_;
    if (count <= 0) return;
    if (range_.bytes_end - range_.bytes < count * size) {
      fits_ = false;
      return;
    }
    uint32_t ends[kStep];
    for (int64_t i = 0; i < kStep; ++i) ends[i] = static_cast<uint32_t>(range_.bytes + (i + 1) * size);
    const auto* const padding = reinterpret_cast<const uint8_t*>(format_.padding.data());
    if (repeated_size_ == 0) {
      for (int64_t i = 0; i < count && size > 0; ++i) put_bytes(padding, size, padding + size);
    }
    for (int64_t left = repeated_size_ > 0 ? count * size : 0; left > 0; left -= repeated_size_) {
      put_bytes(repeated_.data(), std::min(left, repeated_size_), repeated_.data() + repeated_.size());
    }
    put_ends(count, [&](int64_t step, int64_t i) { return ends[i] + static_cast<uint32_t>(step * size); });
  }

  void put_bytes(const uint8_t* from, int64_t size, const uint8_t* readable_end) {
    const int64_t fitting = std::clamp<int64_t>(size, 0, range_.bytes_end - range_.bytes);
    fits_ &= fitting == size;
    copy_short(data_ + range_.bytes, data_ + range_.bytes_end, from, readable_end, fitting);
    range_.bytes += fitting;
  }

  void end_piece() {
    if (!has_room(1)) return;
    *ends_++ = narrow<int32_t>(range_.bytes);
    ++range_.pieces;
    ++column_;
  }

  // Appends `count` ends: end(step, i) is that of piece step + i, unsigned, as those beyond `count` may overflow. These
  // are written if the task has room for whole steps; later ends overwrite them.
  template <class End>
  void put_ends(int64_t count, End&& end) {
    if (!has_room(count)) return;
    if (range_.pieces_end - range_.pieces >= count + kStep) {
      for (int64_t step = 0; step < count; step += kStep) {
        for (int64_t i = 0; i < kStep; ++i) ends_[step + i] = static_cast<int32_t>(end(step, i));
      }
    } else {
      for (int64_t i = 0; i < count; ++i) ends_[i] = static_cast<int32_t>(end(i, 0));
    }
    ends_ += count;
    range_.pieces += count;
    column_ += count;
  }

  bool has_room(int64_t count) {
    const bool room =
        count <= range_.pieces_end - range_.pieces && (!format_.width || count <= *format_.width - column_);
    fits_ &= room;
    return room;
  }

  const RowFormat format_;
  OutputRange range_;
  uint8_t* const data_;
  int32_t* ends_;
  int64_t* row_ends_;
  bool in_string_ = false;
  bool fits_ = true;  // nothing has been left out for lack of room
  int64_t column_ = 0;
  const int64_t padding_size_;
  int64_t repeated_size_ = 0;  // 0 if one padding has more bytes than fit
  std::array<uint8_t, kRepeated + 32> repeated_;
  // Of a block; it is not on the stack, of which a thread may have 64 KB.
  struct Tokens {
    std::array<uint8_t, kBlockBytes> bytes;
    std::array<int32_t, kBlockBytes + kStep> ends;
  };
  std::unique_ptr<Tokens> block_;
};

}  // namespace stringops::kernels
