#include "kernels/split_encode.h"

#include <algorithm>
#include <array>

#include "kernels/split_walk.h"

namespace stringops::kernels {
namespace {

// A tile's pieces are written, as RaggedWriter writes them, into a buffer that never leaves the first-level cache, and
// looked up there. Of a row longer than a tile the last piece may go on in the next one; such a piece, however long, is
// looked up where it lies in the input.
//
//   tile       x x , a b , c d d | d d , e f
//   looked up  "xx" "ab"         | "cddd.." "ef"
//   open             c d d         begins here, 3 bytes so far
class IdWriter {
 public:
  IdWriter(const StringSpan& in, const VocabTable& table, const UnknownWords& unknown, const Share& share,
           int64_t first_row, int64_t* ids, int64_t* row_splits)
      : in_(in), table_(table), unknown_(unknown), share_(share), ids_(ids), row_ends_(row_splits + 1 + first_row) {}

  void tile(const simd::Primitives& simd, const Tile& tile, MaskSplitter& masks) {
    if (!tile.continues) open_bytes_ = 0;  // whatever another thread did to the row before
    RaggedWriter writer(bytes_.data(), offsets_.data(), splits_.data(), {0, kTileBytes, 0, kMostPieces}, 0);
    writer.tile(simd, tile, masks);
    for (int64_t k = 0; k < tile.num_rows; ++k) row_ends_[k] = share_.pieces + splits_[static_cast<size_t>(k) + 1];
    row_ends_ += tile.num_rows;

    const Share& wrote = writer.written();
    const int64_t room = std::min(wrote.pieces, share_.pieces_end - share_.pieces);
    fits_ &= room == wrote.pieces;
    int64_t first = 0;
    if (open_bytes_ > 0 && room > 0) {
      ids_[share_.pieces] = find(open_, open_bytes_ + offsets_[1]);
      first = 1;
    }
    const StringSpan pieces{bytes_.data(), static_cast<int64_t>(bytes_.size()), offsets_.data(), 1, wrote.pieces};
    if (first < room) write_vocab_ids(table_, pieces, first, room, unknown_, ids_ + share_.pieces);
    share_.pieces += room;

    if (wrote.pieces > 0) open_bytes_ = 0;
    const int64_t rest = wrote.bytes - offsets_[static_cast<size_t>(wrote.pieces)];
    if (rest > 0 && open_bytes_ == 0) open_ = tile.data + tile.num_bytes - rest;
    open_bytes_ += rest;
  }

  void piece(const uint8_t* begin, const uint8_t* end) {
    fits_ &= share_.pieces < share_.pieces_end;
    if (fits_) ids_[share_.pieces++] = find(begin, end - begin);
  }

  void end_row() { *row_ends_++ = share_.pieces; }

  bool complete() const { return fits_ && share_.pieces == share_.pieces_end; }

 private:
  // A delimiter of one byte cuts behind each byte, and behind the last of each row.
  static constexpr int64_t kMostPieces = kTileBytes + kTileRows;

  // An open piece ends where its tiles did when they were read, which is beyond the input if a row has grown since.
  int64_t find(const uint8_t* word, int64_t size) const {
    return find_vocab_id(table_, word, std::min(size, in_.data + in_.num_bytes - word), unknown_);
  }

  const StringSpan in_;
  const VocabTable& table_;
  const UnknownWords unknown_;
  Share share_;
  int64_t* const ids_;
  int64_t* row_ends_;
  bool fits_ = true;  // nothing was left out for want of room
  const uint8_t* open_ = nullptr;
  int64_t open_bytes_ = 0;
  std::array<uint8_t, kTileBytes + kKeyBytes> bytes_{};  // the last ones are only read
  std::array<int32_t, kMostPieces + 1> offsets_{};
  std::array<int64_t, kTileRows + 1> splits_{};
};

}  // namespace

bool write_split_ids(const StringSpan& in, const Splitter& by, const VocabTable& table, const UnknownWords& unknown,
                     Place begin, Place end, const Share& share, int64_t* ids, int64_t* row_splits) {
  IdWriter writer(in, table, unknown, share, begin.index, ids, row_splits);
  return write_split(in, by, begin, end, writer);
}

}  // namespace stringops::kernels
