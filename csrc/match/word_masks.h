// Finds the begins of the pieces of word_rule.h, as masks of one bit per byte.
//
//   bytes    I ' l l ␣ a d d ␣ ( x ) ␣ 1 2 3 4
//   begins   1 1 . . 1 . . . 1 . 1 1 1 1 . . 1
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "core/char_class.h"
#include "match/contraction_masks.h"
#include "regex/word_rule.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class WordMasks {
 public:
  explicit WordMasks(const WordRule& rule);

  // Returns the bits of the bytes of a block where pieces begin; those after the block are arbitrary. The blocks of a
  // string come in order; no block ends inside a code point.
  const uint64_t* find_begins(const Block& block);

  // Sets the bits of the bytes that are part of a piece, and of those that pieces end on.
  void split(const Block& block, uint64_t* kept, uint64_t* ends);

 private:
  static constexpr int64_t kAhead = 8;  // bytes after the block that are read, if its string continues
  static constexpr int64_t kWords = words_for(kBlockBytes + kAhead) + 2;
  using BlockMask = std::array<uint64_t, static_cast<size_t>(kWords)>;

  // A word of masks: the bytes of the code points of each class; beginnings of strings; bytes that are not the first
  // ones of code points; newlines and what can follow them after signs.
  struct Masks {
    std::array<uint64_t, WordRule::kNumClasses> of;
    uint64_t starts, inside, newlines, blanks, tails, apostrophes, beyond;
  };
  // The state after the byte before, as 0 or 1: whether it is of the class; a character that leads letters; a newline,
  // or a character that can follow it, that belongs to the signs before it; whitespace that can lead letters. If
  // capitals begin words: letters without case are `late` after small letters, and others `early`. If there are gaps:
  // ASCII letters that a sign leads; characters of gaps; those in CJK ranges.
  struct Before {
    uint64_t letters = 0, numbers = 0, rest = 0, spaces = 0, newlines = 0, blanks = 0, solo = 0, tail = 0, taken = 0;
    uint64_t late = 0, early = 0;
    uint64_t led = 0, gaps = 0, cjk = 0;
  };
  // The bytes in the next word of the code point at the end of a word.
  struct Straddling {
    uint64_t bits = 0;
    size_t in = 0;  // the class
  };
  enum Mode {
    kBlanks,
    kLeads,
    kCases,
    kGaps
  };  // of the rule: only_blanks_lead, none of the others, has_cases, has_gaps

  template <Mode kMode>
  void find(const Block& block);
  template <Mode kMode>
  void read(const Block& block, int64_t w, Masks* masks);
  void read_beyond_ascii(const Block& block, int64_t w, uint64_t beyond, Masks* masks);
  static uint64_t last_before(const Masks& m, const Masks& next, uint64_t in, uint64_t in_next, uint64_t others,
                              uint64_t others_next);
  static uint64_t last_spaces(const Masks& m, const Masks& next, uint64_t spaces);
  static uint64_t cjk_of(const Masks& m) {
    return m.of[WordRule::kCjkLetter] | m.of[WordRule::kCjkSign] | m.of[WordRule::kCjkGap];
  }
  static void cut_first(const Before& b, Masks* masks);
  uint64_t group_numbers(int64_t room, uint64_t numbers, uint64_t first, int64_t* count);
  uint64_t after_newlines(const Block& block, int64_t w, uint64_t candidates) const;
  static int64_t end_of_string(const Block& block, int64_t at);
  static uint64_t marks_of_signs(const Masks& m, const Before& b);
  uint64_t begin_capitals(const Block& block, int64_t w, const Masks& m, const Before& b, Before* letters) const;
  bool ends_word(const Block& block, int64_t at) const;

  const WordRule rule_;
  const simd::Primitives& simd_;
  CharSet capitals_, spaces_;  // of ASCII; whitespace but for newlines
  int64_t num_bytes_ = 0;      // of the block and what is read after it
  // The state at the end of the block before, if its string continues, and the numbers since the last begin.
  Before last_;
  int64_t numbers_ = 0;
  Straddling straddling_;
  ContractionMasks contractions_;
  // Masks of the block that AsciiMasks do not have: starts of strings, begins of pieces, and some characters.
  BlockMask starts_, begins_, upper_, slashes_, vertical_tabs_;
};

}  // namespace stringops::kernels
