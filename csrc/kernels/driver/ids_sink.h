// The sink that looks pieces up and stores their ids. A lookup has
//
//   void encode(strings, first, last, ids)    writes the ids of strings [first, last) to ids[first, last)
//   int64_t encode_one(text, num_bytes)       returns the id of one string
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "kernels/driver/cut.h"

namespace stringops::kernels {

struct IdsOutput {
  int64_t* ids;
  int64_t* row_splits;  // string i has the ids from row_splits[i] to row_splits[i + 1]; row_splits[0] is 0
};

// The pieces of a block are written, as ragged strings, into a buffer that stays in the first-level cache, and looked
// up there. A piece that continues in the next block is "open"; once it ends, it is looked up in the input itself.
//
//   block      x x , a b , c d d | d d , e f
//   looked up  "xx" "ab"         | "cddd.." "ef"
//   open             c d d         its begin is kept, 3 bytes so far
template <class Lookup>
class IdsSink {
 public:
  IdsSink(const StringSpan& in, const Lookup& lookup, const IdsOutput& out, const OutputRange& range,
          int64_t first_string)
      : in_end_(in.data + in.num_bytes),
        lookup_(lookup),
        ids_(out.ids),
        row_ends_(out.row_splits + 1 + first_string),
        range_(range) {}

  void block(const simd::Primitives& simd, const Block& block, BlockSplitter& masks) {
    if (!block.continues) open_bytes_ = 0;  // a concurrent write may have left an open piece
    RaggedSink sink({bytes_.data(), offsets_.data(), splits_.data()}, {0, kBlockBytes, 0, kMaxPieces}, 0);
    sink.block(simd, block, masks);
    for (int64_t k = 0; k < block.num_strings; ++k) row_ends_[k] = range_.pieces + splits_[static_cast<size_t>(k) + 1];
    row_ends_ += block.num_strings;

    const int64_t pieces = sink.rest().pieces, room = std::min(pieces, range_.pieces_end - range_.pieces);
    fits_ &= room == pieces;
    int64_t first = 0;
    if (open_bytes_ > 0 && room > 0) {
      ids_[range_.pieces] = encode_one(open_, open_bytes_ + offsets_[1]);
      first = 1;
    }
    const StringSpan strings{bytes_.data(), static_cast<int64_t>(bytes_.size()), offsets_.data(), 1, pieces};
    if (first < room) lookup_.encode(strings, first, room, ids_ + range_.pieces);
    range_.pieces += room;

    if (pieces > 0) open_bytes_ = 0;
    const int64_t rest = sink.rest().bytes - offsets_[static_cast<size_t>(pieces)];
    if (rest > 0 && open_bytes_ == 0) open_ = block.data + block.num_bytes - rest;
    open_bytes_ += rest;
  }

  // Pieces that come one by one are held in the same buffer, and looked up together.
  void piece(StringView text, const uint8_t*) {
    fits_ &= range_.pieces < range_.pieces_end;
    if (!fits_) return;
    const int64_t begin = offsets_[static_cast<size_t>(held_)];
    if (text.size() > kBlockBytes - begin || held_ == kMaxPieces) return long_piece(text);
    copy_bytes(bytes_.data() + begin, text.begin, text.size());
    offsets_[static_cast<size_t>(++held_)] = narrow<int32_t>(begin + text.size());
    ++range_.pieces;
  }

  void end_string() { *row_ends_++ = range_.pieces; }

  bool complete() {
    encode_held();
    return fits_ && range_.pieces == range_.pieces_end;
  }

 private:
  // The most that a delimiter of one byte makes: a piece before each byte, and one at the end of each string.
  static constexpr int64_t kMaxPieces = kBlockBytes + kBlockStrings;

  // The size of an open piece is the sum over its blocks as they were read, which may exceed the input if the string
  // changed in between (race).
  int64_t encode_one(const uint8_t* text, int64_t num_bytes) const {
    return lookup_.encode_one(text, std::min<int64_t>(num_bytes, in_end_ - text));
  }

  void long_piece(StringView text) {
    encode_held();
    if (text.size() <= kBlockBytes) return piece(text, nullptr);
    ids_[range_.pieces++] = encode_one(text.begin, text.size());
  }

  void encode_held() {
    if (held_ == 0) return;
    const StringSpan strings{bytes_.data(), static_cast<int64_t>(bytes_.size()), offsets_.data(), 1, held_};
    lookup_.encode(strings, 0, held_, ids_ + range_.pieces - held_);
    held_ = 0;
  }

  const uint8_t* const in_end_;
  const Lookup& lookup_;
  int64_t* const ids_;
  int64_t* row_ends_;
  OutputRange range_;
  bool fits_ = true;  // nothing has been left out for lack of room
  const uint8_t* open_ = nullptr;
  int64_t open_bytes_ = 0;
  int64_t held_ = 0;  // pieces in the buffer, the last ones of range_.pieces; a task gets blocks or pieces, not both
  std::array<uint8_t, kBlockBytes + kKeyBytes> bytes_{};  // the last kKeyBytes are read, but never written
  std::array<int32_t, kMaxPieces + 1> offsets_{};
  std::array<int64_t, kBlockStrings + 1> splits_{};
};

// allocate(num_pieces) -> IdsOutput.
template <class Cutter, class Lookup, class Allocate>
void cut_ids(const char* op, const Runner& runner, const StringSpan& in, const Cutter& cutter, const Lookup& lookup,
             Allocate&& allocate) {
  constexpr double kLookupNsPerByte = 0.4;
  const Cost cutting = cutter.cost();
  const Cut<Cutter> cut(op, runner, in, cutter, {cutting.ns_per_string, cutting.ns_per_byte + kLookupNsPerByte},
                        nullptr);
  STRINGOPS_CHECK(cut.num_pieces() <= kMaxOffsets, op, ": the result has ", cut.num_pieces(), " ids; expected at most ",
                  kMaxOffsets, " (split the batch)");
  const IdsOutput out = allocate(cut.num_pieces());
  out.row_splits[0] = 0;
  cut.write([&](Position begin, Position, const OutputRange& range, OpenPieces) {
    return IdsSink<Lookup>(in, lookup, out, range, begin.index);
  });
}

}  // namespace stringops::kernels
