// The sink that looks pieces up and stores their ids, and its driver. A lookup has
//
//   void encode_words(words, begins, sizes, count, out)   writes the ids of parts of a text
//   int64_t encode_one(text, num_bytes)                   returns the id of one string
//
// Pieces are counted first, as in other drivers (cut.h), so that tasks write their ids to the result.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/word_key.h"
#include "driver/cut.h"

namespace stringops::kernels {

// The pieces of a block are copied to a buffer, where they are looked up. A piece that continues in the next block is
// "open"; once it ends, it is looked up alone, in the input.
//
//   block      x x , a b , c d d | d d , e f
//   looked up  "xx" "ab"         | "cddd.." "ef"
//   open             c d d         its begin is kept, 3 bytes so far
static_assert(kKeyBytes <= kShortCopy);  // BlockReader lets kShortCopy bytes after a block be read

template <class Lookup>
class IdsSink {
 public:
  // Writes the ids [range.pieces, range.pieces_end) of `out`, and sets row_ends[i] to the number of ids up to the end
  // of the task's string i.
  IdsSink(const Lookup& lookup, int64_t* out, const OutputRange& range, int64_t* row_ends)
      : lookup_(lookup), out_(out), size_(range.pieces), end_(range.pieces_end), row_ends_(row_ends), room_(new Room) {
    std::fill_n(room_->bytes.end() - kKeyBytes, kKeyBytes, 0);
  }

  void block(const simd::Primitives& simd, const Block& block, BlockSplitter& masks) {
    if (!block.starts_inside) open_bytes_ = 0;
    auto& bytes = room_->bytes;
    auto& ends = room_->ends;
    uint32_t *const begins = room_->begins.data(), *const sizes = room_->sizes.data();
    ends[0] = 0;
    const simd::PieceCounts wrote =
        masks.write(block, 0, bytes.data(), bytes.data() + kBlockBytes, ends.data() + 1, ends.data() + ends.size());
    masks.count_strings(block);
    simd.widen(masks.string_pieces(), block.num_strings, size_, row_ends_);
    row_ends_ += block.num_strings;
    const int64_t pieces = wrote.pieces + masks.num_repeats();
    if (masks.num_repeats() > 0) insert_repeats(block, masks, wrote.pieces, pieces);
    const int64_t rest = wrote.bytes - ends[static_cast<size_t>(pieces)];
    if (pieces > 0) {
      for (size_t j = 0; j < static_cast<size_t>(pieces); ++j) {
        begins[j] = static_cast<uint32_t>(ends[j]);
        sizes[j] = static_cast<uint32_t>(ends[j + 1]) - begins[j];
      }
      if (int64_t* const ids = add(pieces)) {
        const int64_t first = open_bytes_ > 0;
        if (first == 1) *ids = encode_open(open_bytes_ + sizes[0]);
        lookup_.encode_words({bytes.data(), static_cast<int64_t>(bytes.size()), block.data + block.num_bytes},
                             begins + first, sizes + first, pieces - first, ids + first);
      }
      open_bytes_ = 0;
    }
    if (rest > 0 && open_bytes_ == 0) {
      open_ = block.data + block.num_bytes - rest;
      open_end_ = block.data + block.readable;
    }
    open_bytes_ += rest;
  }

  // Pieces that come one by one are held in a buffer, and looked up together.
  void piece(StringView text, const uint8_t* readable_end) {
    if (text.size() > kBlockBytes - held_bytes_ || held_ == kMaxPieces) return long_piece(text);
    copy_short(room_->bytes.data() + held_bytes_, room_->bytes.data() + kBlockBytes, text.begin, readable_end,
               text.size());
    room_->begins[static_cast<size_t>(held_)] = narrow<uint32_t>(held_bytes_);
    room_->sizes[static_cast<size_t>(held_++)] = narrow<uint32_t>(text.size());
    held_bytes_ += text.size();
  }

  void end_string() { *row_ends_++ = size_ + held_; }

  bool complete() {
    encode_held();
    return fits_ && size_ == end_;
  }

 private:
  // A delimiter of one byte makes at most this many: a piece before each byte, and one at the end of each string.
  static constexpr int64_t kMaxPieces = kBlockBytes + kBlockStrings;
  static constexpr int64_t kRoom = kMaxPieces + 1 + WordKeys::kMaxWords;

  // A repeat has the end of the piece before it, and no bytes. Backward, in place; there are no branches, as where
  // repeats are is unpredictable.
  void insert_repeats(const Block& block, const BlockSplitter& masks, int64_t listed, int64_t pieces) {
    uint8_t* const is_repeat = room_->is_repeat.data() + 1;
    masks.mark_repeats(block, pieces, is_repeat);
    for (int64_t to = pieces, from = listed; to > 0; --to) {
      room_->ends[static_cast<size_t>(to)] = room_->ends[static_cast<size_t>(from)];
      from -= 1 - is_repeat[to - 1];
    }
  }

  // The size of an open piece is the sum over its blocks as they were read, which may exceed the string if that changed
  // in between (race).
  int64_t encode_open(int64_t num_bytes) const {
    return lookup_.encode_one(open_, std::min<int64_t>(num_bytes, open_end_ - open_));
  }

  // Returns room for `count` more ids, or nullptr if there is less, because the strings have changed since they were
  // counted (race).
  int64_t* add(int64_t count) {
    int64_t* const at = count <= end_ - size_ ? out_ + size_ : nullptr;
    fits_ &= at != nullptr;
    if (at) size_ += count;
    return at;
  }

  void long_piece(StringView text) {
    encode_held();
    if (text.size() <= kBlockBytes) return piece(text, text.end);
    if (int64_t* const id = add(1)) *id = lookup_.encode_one(text.begin, text.size());
  }

  void encode_held() {
    if (held_ == 0) return;
    if (int64_t* const ids = add(held_)) {
      const auto& bytes = room_->bytes;
      lookup_.encode_words({bytes.data(), static_cast<int64_t>(bytes.size()), nullptr}, room_->begins.data(),
                           room_->sizes.data(), held_, ids);
    }
    held_ = held_bytes_ = 0;
  }

  struct Room {
    std::array<uint8_t, kBlockBytes + kKeyBytes> bytes;  // the last kKeyBytes are read
    std::array<int32_t, kRoom> ends;
    std::array<uint32_t, kRoom> begins, sizes;
    std::array<uint8_t, kMaxPieces + 1> is_repeat;  // before the first string there may be none
  };

  const Lookup& lookup_;
  int64_t* const out_;
  int64_t size_;  // the ids before the next one
  const int64_t end_;
  bool fits_ = true;
  int64_t* row_ends_;
  const uint8_t *open_ = nullptr, *open_end_ = nullptr;
  int64_t open_bytes_ = 0;
  int64_t held_ = 0, held_bytes_ = 0;  // in the buffer, without ids yet; a task gets blocks or pieces, not both
  const std::unique_ptr<Room> room_;
};

// Returns the cost of cutting and looking up.
template <class Cutter>
Cost cost_of_ids(const Cutter& cutter) {
  constexpr double kLookupNsPerByte = 0.4;
  return {cutter.cost().ns_per_string, cutter.cost().ns_per_byte + kLookupNsPerByte};
}

// Writes row_splits[0, in.size() + 1): string i has the ids from row_splits[i] to row_splits[i + 1]. allocate(num_ids)
// -> int64_t*.
template <class Cutter, class Lookup, class Allocate>
void cut_ids(const char* op, const Runner& runner, const StringSpan& in, const Cutter& cutter, const Lookup& lookup,
             int64_t* row_splits, Allocate&& allocate) {
  row_splits[0] = 0;
  Cut<Cutter> cut(op, runner, in, cutter, cost_of_ids(cutter), kCutIds, nullptr);
  int64_t* const out = allocate(cut.num_pieces());
  cut.write([&](Position begin, Position, const OutputRange& range, OpenPieces) {
    return IdsSink(lookup, out, range, row_splits + 1 + begin.index);
  });
}

}  // namespace stringops::kernels
