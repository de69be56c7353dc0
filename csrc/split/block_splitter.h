// Cutting a whole block of strings at once, on masks of one bit per byte.
//
//   bytes   l e t ␣ i t ␣ ␣ | b e ␣        two strings, "let it  " and "be "
//   keep    1 1 1 0 1 1 0 0   1 1 0        bytes that are part of a piece
//   ends    0 0 1 0 0 1 0 0   0 1 0        a piece ends after the kept bytes up to here
//
// A word ends on its last byte, a field on the first byte of the delimiter after it, or on its string's last byte. Two
// kinds of fields have no bit of their own: one that ends on the same byte as another (after two adjacent delimiters of
// one byte at the end of a string), and the field of an empty string. These repeats are listed separately; each has the
// same end as the piece before it.
//
// If the cuts of a string are limited, the separators after them are dropped from the mask, so that their bytes are
// kept. If they are few, a primitive cuts string by string instead (simd::LimitedCuts).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/bits.h"
#include "simd/primitives.h"
#include "split/blocks.h"
#include "split/class_masks.h"
#include "split/cut_limit.h"
#include "split/delimiter_finder.h"
#include "split/kept_masks.h"
#include "split/match_masks.h"
#include "split/program_masks.h"
#include "split/separator_masks.h"

namespace stringops::kernels {

constexpr int64_t kBlockWords = kBlockBytes / kWordBits;

// How pieces are separated.
struct BlockRule {
  enum class Kind {
    kWhitespaceWords,  // between whitespace, not empty
    kSetWords,         // between characters of `set`, not empty
    kDelimiterWords,   // between delimiters, not empty
    kSeparatedWords,   // between `separators`, not empty
    kFields,           // between delimiters, empty pieces included
    kCodepoints,       // each code point, of valid UTF-8
    kSetChars,         // each character of `set`, which is ASCII
    kClasses,          // runs of classes, by `classes`
    kLiterals,         // texts of `literals`
    kMatches,          // matches of `pattern`, which has a mask program
  };
  Kind kind;
  CharSet set{};
  const ClassRule* classes = nullptr;  // these must outlive the rule
  const LiteralSet* literals = nullptr;
  const Separators* separators = nullptr;
  const Pattern* pattern = nullptr;
  KeptMasks masks{};                       // of rules that keep them
  bool only_begins = false;                // kMatches: whether it only matters which strings have a piece
  bool between = false;                    // whether the pieces are what is between those of the rule, maybe nothing
  std::string_view delimiter{};            // 1 to kMaxBlockDelimiter bytes
  bool empty_strings_have_a_field = true;  // kFields: whether "" has one piece or none
  // The maximum number of cuts per string, negative: no limit; and whether the rest of a string after that many cuts is
  // trimmed of trailing separators. Not for characters and kSeparatedWords; only kSetWords are trimmed.
  int64_t max_cuts = -1;
  bool trims_rest = false;

  // Whether making its masks again takes longer than keeping them.
  bool keeps_masks() const {
    return kind == Kind::kClasses || kind == Kind::kLiterals || kind == Kind::kMatches || kind == Kind::kSeparatedWords;
  }
};

class BlockSplitter {
 public:
  // If the first block begins inside a string, then after a separator, and after `cuts` cuts if they are limited.
  BlockSplitter(const BlockRule& rule, const simd::Primitives& simd, int64_t cuts = 0, const KeptDelimiters& kept = {});

  // Computes keep, ends and the repeats of the block. The blocks of a long string must come in order.
  void split(const Block& block);

  // Instead of split: counts the kept bytes and the pieces, including the repeats.
  simd::PieceCounts count(const Block& block);

  // After count, or after split and write or list, for each string that ends in the block: set string_pieces()[k] to
  // the number of pieces in strings 0..k, without the repeats (count_ends; not after count) or including them
  // (count_strings).
  void count_ends(const Block& block);
  void count_strings(const Block& block);

  // Writes the kept bytes, and the ends of the pieces without the repeats (simd::PieceBlock).
  simd::PieceCounts write(const Block& block, int32_t base, uint8_t* out, const uint8_t* out_limit, int32_t* out_ends,
                          const int32_t* out_ends_limit);

  // If cuts are not limited: the ends of the pieces without the repeats, and the position in the block after each piece
  // (simd::list_pieces).
  simd::PieceCounts list(const Block& block, int32_t* ends, uint32_t* positions);

  // If there are repeats: sets is_repeat[j] for each of `count` pieces, and maybe the byte before.
  void mark_repeats(const Block& block, int64_t count, uint8_t* is_repeat) const;

  // After split, if the rule is not kFields: bits of the first bytes of pieces, of their last ones, and of all. A piece
  // of a long string may go on in the next block.
  const uint64_t* mark_begins(const Block& block);
  const uint64_t* ends() const { return ends_.data(); }
  const uint64_t* kept() const { return kept_.data(); }

  const int32_t* string_pieces() const { return string_pieces_.data(); }
  int64_t num_repeats() const { return num_repeats_; }
  // If there are repeats: for each string of the block, 1 if its last piece is one, else 0.
  const uint8_t* ends_in_repeat() const { return ends_in_repeat_.data(); }
  // If cuts are limited: those so far of the string that continues after the block.
  int64_t cuts() const { return limit_.cuts(); }

 private:
  void find_pieces(const Block& block);
  void find_or_take_pieces(const Block& block);
  void split_words(const Block& block);
  void split_fields(const Block& block);
  void take_between(const Block& block);
  void end_fields(const Block& block, const uint64_t* covered);
  void keep_strings(const Block& block);
  void begin_block(const Block& block);
  bool find_delimiters(const Block& block, bool marks_starts);
  bool counts_fields(const Block& block) const;
  simd::PieceCounts count_fields(const Block& block);
  void count_fields_of_strings(const Block& block, int64_t max_cuts);
  bool copies_fields(const Block& block) const;
  template <class Take>
  simd::PieceCounts for_each_field(const Block& block, Take&& take);
  simd::PieceCounts list_fields(const Block& block, int32_t* ends, uint32_t* positions);
  simd::PieceCounts copy_fields(const Block& block, const simd::PieceRoom& room);
  bool is_rest(const Block& block) const;
  bool cuts_strings(const Block& block) const;
  simd::PieceCounts cut_strings(const Block& block, const simd::PieceRoom* room);
  void split_codepoints(const Block& block);
  void split_set_chars(const Block& block);
  bool has_empty_strings(const Block& block) const;
  bool separator_follows(const Block& block);
  void drop_straddling_whitespace(const Block& block);
  void end_fields_at_string_ends(const Block& block);
  void limit_words(const Block& block);
  void limit_delimiters(const Block& block);
  void exclude_trailing(const Block& block, uint64_t* dropped);
  int64_t count_trailing(const Block& block);

  const BlockRule rule_;
  const simd::Primitives& simd_;
  DelimiterFinder finder_;
  std::optional<ClassMasks> classes_;
  std::optional<LiteralMasks> literals_;
  std::optional<SeparatorMasks> separated_;
  std::optional<ProgramMasks> matches_;
  KeptMasks kept_masks_;
  int64_t num_words_ = 0;
  int64_t num_repeats_ = 0;
  // Blocks without masks, of which
  int64_t uncut_strings_ = 0, uncut_bytes_ = 0;  // the strings are the pieces, or the bytes are part of one
  bool has_none_ = false;                        // there are no pieces
  bool cuts_strings_ = false;                    // strings are cut one by one
  bool has_counted_fields_ = false;              // delimiters have been counted
  bool has_counted_strings_ = false;             // those of each string
  bool copies_fields_ = false;                   // fields are copied one by one, between
  KeptPositions kept_delimiters_;
  CutLimit limit_;
  uint64_t inside_piece_ = 0;    // whether a piece of the string that continues does, if begins are marked
  bool after_separator_ = true;  // the last byte so far of the string that continues is one, or there is none
  int64_t trailing_ = -1;        // the trailing separators of the string that continues, once they have been counted
  std::array<uint64_t, kBlockWords> kept_;
  std::array<uint64_t, kBlockWords + 1> ends_, separators_;
  std::array<uint64_t, kBlockWords + 1> delimiters_;  // first bytes only; `separators_` has all bytes of delimiters
  std::array<uint64_t, kBlockWords + 2> string_starts_;
  std::array<int32_t, kBlockStrings> string_pieces_;
  std::array<uint8_t, kBlockStrings> ends_in_repeat_;
  std::array<int32_t, kBlockWords + 1> prefix_;
};

}  // namespace stringops::kernels
