// Cutting a whole block of strings at once, on masks of one bit a byte.
//
//   bytes   l e t ␣ i t ␣ ␣ | b e ␣        two strings, "let it  " and "be "
//   keep    1 1 1 0 1 1 0 0   1 1 0        bytes that are part of a piece
//   ends    0 0 1 0 0 1 0 0   0 1 0        a piece ends after the kept bytes up to here
//
// A word ends on its last byte, a field on the first byte of the delimiter after it, or on its string's last byte. One
// thing has no bit of its own: a field that ends where another does, on the same byte (a delimiter of one byte after
// another at the end of a string), or a string without bytes. Such repeats are listed apart; each has the end of the
// piece before it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/bits.h"
#include "kernels/driver/blocks.h"
#include "simd/primitives.h"

namespace stringops::kernels {

constexpr int64_t kBlockWords = kBlockBytes / kWordBits;

// Delimiters beyond a word's width take the path of single strings.
constexpr int64_t kMaxBlockDelimiter = kWordBits;

// What the pieces are.
struct BlockRule {
  enum class Kind {
    kWhitespaceWords,  // between whitespace, not empty
    kSetWords,         // between characters of `set`, not empty
    kDelimiterWords,   // between delimiters, not empty
    kFields,           // between delimiters, empty pieces included
    kCodepoints,       // each code point, of valid UTF-8
    kSetChars,         // each character of `set`, which is ASCII
  };
  Kind kind;
  CharSet set{};
  std::string_view delimiter{};            // 1 to kMaxBlockDelimiter bytes
  bool empty_strings_have_a_field = true;  // kFields: whether "" has one piece or none
};

class BlockSplitter {
 public:
  BlockSplitter(const BlockRule& rule, const simd::Primitives& simd);

  // Sets keep, ends and the repeats for the block. Blocks of a string that is longer than one come in order.
  void split(const Block& block);

  // After split, for each string that ends in the block: string_pieces()[k] becomes the number of pieces in the strings
  // 0..k, by count_ends without the repeats, by count_strings with them.
  void count_ends(const Block& block);
  void count_strings(const Block& block);

  const uint64_t* keep() const { return kept_.data(); }
  const uint64_t* ends() const { return ends_.data(); }
  int64_t num_kept() const { return simd_.count_bits(keep(), num_words_); }
  int64_t num_pieces() const { return simd_.count_bits(ends(), num_words_) + num_repeats_; }
  const int32_t* string_pieces() const { return string_pieces_.data(); }
  // Strings of the block whose last piece is a repeat, ascending.
  const int32_t* repeat_strings() const { return repeat_strings_.data(); }
  int64_t num_repeats() const { return num_repeats_; }

 private:
  void split_words(const Block& block);
  void split_fields(const Block& block);
  void split_codepoints(const Block& block);
  void split_set_chars(const Block& block);
  void mark_string_starts(const Block& block);
  bool has_empty_strings(const Block& block) const;
  void cover_delimiters(const Block& block);
  void note_consumed(const Block& block);
  bool separator_follows(const Block& block) const;
  void drop_straddling_whitespace(const Block& block);
  void find_delimiters(const Block& block);
  void drop_crossing();
  void drop_overlapping();
  void take_every_other();
  void end_fields_at_string_ends(const Block& block);

  const BlockRule rule_;
  const simd::Primitives& simd_;
  const int64_t length_;   // bytes of the delimiter
  bool self_overlapping_;  // two matches of the delimiter can share bytes
  int64_t num_words_ = 0;
  // What a string that goes on in the next block leaves over: bytes there that belong to a delimiter found in this one.
  int64_t consumed_ = 0;
  int64_t num_repeats_ = 0;
  std::array<uint64_t, kBlockWords> kept_;
  std::array<uint64_t, kBlockWords + 1> ends_, separators_;
  std::array<uint64_t, kBlockWords + 1> delimiters_;  // their first bytes; `separators_` has all their bytes
  std::array<uint64_t, kBlockWords + 2> string_starts_;
  std::array<int32_t, kBlockStrings> string_pieces_, repeat_strings_;
  std::array<int32_t, kBlockWords + 1> prefix_;
};

}  // namespace stringops::kernels
