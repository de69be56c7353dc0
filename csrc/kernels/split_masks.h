// Cutting a whole tile of strings at once, on masks of one bit a byte.
//
//   bytes   l e t ␣ i t ␣ ␣ | b e ␣        two rows, "let it  " and "be "
//   keep    1 1 1 0 1 1 0 0   1 1 0        bytes that are part of a piece
//   ends    0 0 1 0 0 1 0 0   0 1 0        a piece ends behind the kept bytes up to here
//
// A word ends on its last byte, a field on the first byte of the delimiter behind it, or on its row's last byte. One
// thing has no bit of its own: a field that ends where another does, on the same byte (a delimiter of one byte behind
// another at the end of a row), or a row without bytes. Such repeats are listed apart; each has the end of the piece
// before it. No torch here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/bits.h"
#include "kernels/tiles.h"
#include "simd/primitives.h"

namespace stringops::kernels {

constexpr int64_t kTileWords = kTileBytes / kWordBits;

// Delimiters beyond a word's width take the path of single strings.
constexpr int64_t kMaxMaskDelimiter = kWordBits;

// What the pieces are.
struct MaskRule {
  enum class Kind {
    kWhitespaceWords,  // what stands between whitespace, none of it empty
    kSetWords,         // what stands between characters of `set`, none of it empty
    kDelimiterWords,   // what stands between delimiters, none of it empty
    kFields,           // what stands between delimiters, empty pieces included
    kCodepoints,       // each code point, of valid UTF-8
    kSetChars,         // each character of `set`, which is ASCII
  };
  Kind kind;
  CharSet set{};
  std::string_view delimiter{};         // 1 to kMaxMaskDelimiter bytes
  bool empty_rows_have_a_field = true;  // kFields: whether "" has one piece or none
};

class MaskSplitter {
 public:
  MaskSplitter(const MaskRule& rule, const simd::Primitives& simd);

  // Sets keep, ends and the repeats for the tile. Tiles of a row that is longer than one come in order.
  void split(const Tile& tile);

  // After split, for each row that ends in the tile: row_pieces()[k] becomes the number of pieces in the rows 0..k, by
  // count_ends without the repeats, by count_rows with them.
  void count_ends(const Tile& tile);
  void count_rows(const Tile& tile);

  const uint64_t* keep() const { return kept_.data(); }
  const uint64_t* ends() const { return ends_.data(); }
  int64_t num_kept() const { return simd_.count_bits(keep(), num_words_); }
  int64_t num_pieces() const { return simd_.count_bits(ends(), num_words_) + num_repeats_; }
  const int32_t* row_pieces() const { return row_pieces_.data(); }
  // Rows of the tile whose last piece is a repeat, ascending.
  const int32_t* repeat_rows() const { return repeat_rows_.data(); }
  int64_t num_repeats() const { return num_repeats_; }

 private:
  void split_words(const Tile& tile);
  void split_fields(const Tile& tile);
  void split_codepoints(const Tile& tile);
  void split_set_chars(const Tile& tile);
  void mark_row_starts(const Tile& tile);
  bool has_empty_rows(const Tile& tile) const;
  void cover_delimiters(const Tile& tile);
  void note_consumed(const Tile& tile);
  bool separator_behind(const Tile& tile) const;
  void drop_straddling_whitespace(const Tile& tile);
  void find_delimiters(const Tile& tile);
  void drop_crossing();
  void drop_overlapping();
  void take_every_other();
  void end_fields_at_rows(const Tile& tile);

  const MaskRule rule_;
  const simd::Primitives& simd_;
  const int64_t length_;   // bytes of the delimiter
  bool self_overlapping_;  // two matches of the delimiter can share bytes
  int64_t num_words_ = 0;
  // What a row that goes on in the next tile leaves behind: bytes there that belong to a delimiter found in this one.
  int64_t consumed_ = 0;
  int64_t num_repeats_ = 0;
  std::array<uint64_t, kTileWords> kept_;
  std::array<uint64_t, kTileWords + 1> ends_, separators_;
  std::array<uint64_t, kTileWords + 1> delimiters_;  // their first bytes; `separators_` has all their bytes
  std::array<uint64_t, kTileWords + 2> row_starts_;
  std::array<int32_t, kTileRows> row_pieces_, repeat_rows_;
  std::array<int32_t, kTileWords + 1> prefix_;
};

}  // namespace stringops::kernels
