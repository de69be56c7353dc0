// The masks of pieces that are runs of classes of code points (regex/class_rule.h).
//
//   bytes    i t ' s ␣ a b c     \w+|[^\w\s]
//   \w       1 1 0 1 0 1 1 1
//   ends     0 1 1 1 0 0 0 1     at a change of class, and at each single character
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/bits.h"
#include "match/word_masks.h"
#include "regex/class_rule.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class ClassMasks {
 public:
  ClassMasks(const ClassRule& rule, const simd::Primitives& simd) : rule_(rule), simd_(simd) {
    if (rule.words) words_.emplace(*rule.words);
  }

  // Sets the bits of the bytes that are part of a piece, and of those that pieces end on. The blocks of a string come
  // in order; no block ends inside a code point.
  void split(const Block& block, uint64_t* kept, uint64_t* ends);

 private:
  // A look-ahead of what a minimum needs.
  static constexpr int64_t kMaxAhead = 4 * ClassRule::kMaxMinimum;
  static constexpr int64_t kWords = words_for(kBlockBytes + kMaxAhead) + 2;
  using BlockMask = std::array<uint64_t, static_cast<size_t>(kWords)>;

  void classify(const Block& block);
  void classify_beyond_ascii(const Block& block);
  void end_runs();
  void drop_short();
  bool is_short(int64_t begin, int64_t end) const;

  // The bits of the byte before, in the same string.
  uint64_t before(const BlockMask& words, int64_t w, uint64_t carry) const {
    const auto i = static_cast<size_t>(w);
    return (words[i] << 1 | (w == 0 ? carry : words[i - 1] >> (kWordBits - 1))) & ~starts_[i];
  }

  const ClassRule& rule_;
  const simd::Primitives& simd_;
  std::optional<WordMasks> words_;
  int64_t num_bytes_ = 0, num_words_ = 0;  // of the block and what is read after it
  bool beyond_ascii_ = false;

  // Whether the last byte of the previous block, if its string continues, is kept, and an end.
  struct {
    uint64_t kept = 0, end = 0;
  } last_;

  std::array<BlockMask, ClassRule::kMaxClasses> classes_;
  // The numbers of the classes of bytes beyond ASCII.
  std::array<uint8_t, kBlockBytes + kMaxAhead + 4> numbers_{};
  BlockMask starts_, codepoint_ends_, kept_, ends_, found_, scratch_;
};

}  // namespace stringops::kernels
