// Where the pieces begin that word_rule.h describes, as masks of one bit per byte.
//
//   bytes    I ' l l ␣ a d d ␣ ( x ) ␣ 1 2 3 4
//   begins   1 1 . . 1 . . . 1 . 1 1 1 1 . . 1
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "regex/class_rule.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class WordMasks {
 public:
  // Of a rule that has words.
  WordMasks(const ClassRule& rule, const simd::Primitives& simd)
      : rule_(*rule.words), upper_(rule.classes[ClassRule::Words::kUpper].chars), table_(*rule.table), simd_(simd) {}

  // Bits of each byte of the characters of each class of the rule; of the beginnings of strings but the first; and of
  // the last bytes of code points, null if all are ASCII. One word after the last is read.
  struct Classes {
    std::array<const uint64_t*, ClassRule::kMaxClasses> of;
    const uint64_t *starts, *codepoint_ends;
  };

  // Of the block and of what is read after it, `num_bytes` in all. The blocks of a string come in order.
  void find_begins(const Block& block, int64_t num_bytes, const Classes& classes, uint64_t* begins);

 private:
  static constexpr int64_t kWords = words_for(kBlockBytes + 8 * kWordBits);
  using Words = std::array<uint64_t, static_cast<size_t>(kWords)>;

  // Of the byte before, 0 or 1: whether it is of the class; a character that leads letters; a newline, or what can
  // follow it, that belongs to the signs before it; whitespace that can lead letters. If capitals begin words: letters
  // without case are `late` after small letters, and others `early`.
  struct Before {
    uint64_t letters = 0, numbers = 0, rest = 0, spaces = 0, newlines = 0, blanks = 0, solo = 0, tail = 0, taken = 0;
    uint64_t late = 0, early = 0;
  };
  // A word of masks. Inside: not the first byte of a code point.
  struct Masks {
    uint64_t starts, inside, newlines, blanks, tails, rest, marks, upper, lower, other;
  };

  template <bool kHasCases>
  void find(const Block& block, int64_t num_bytes, const Classes& classes, uint64_t* begins);
  uint64_t group_numbers(int64_t room, uint64_t numbers, uint64_t first, int64_t* count);
  uint64_t after_newlines(const Block& block, int64_t w, uint64_t candidates) const;
  void join_contractions(const Block& block, const uint64_t* starts, uint64_t* begins);
  int64_t contraction_at(const Block& block, const uint64_t* starts, int64_t at) const;
  static int64_t end_of_string(const Block& block, int64_t at);

  static uint64_t marks_of_signs(const Masks& m, const Before& b);
  void join_suffixes(const Block& block, const uint64_t* starts, int64_t w, uint64_t candidates);
  uint64_t begin_capitals(const Block& block, int64_t w, const Masks& m, const Before& b, Before* letters) const;
  bool ends_word(const Block& block, int64_t at) const;

  const ClassRule::Words& rule_;
  const CharSet upper_;
  const ClassTable& table_;
  const simd::Primitives& simd_;
  // Of the block before, if its string continues; the numbers since the last begin; and how many bytes of the next
  // block belong to a contraction.
  Before last_;
  int64_t numbers_ = 0;
  int64_t open_ = 0;
  // Contractions that belong to the word before them: the end of the last one, and of the last one that begins in the
  // block, -1 if there is none; the bits inside of them, of this word of masks and the next one; and those after them.
  struct {
    int64_t end = -1, end_in_block = -1;
    uint64_t inside = 0, inside_next = 0, after = 0;
  } suffix_;
  Words newlines_, blanks_, tails_, apostrophes_;
};

}  // namespace stringops::kernels
