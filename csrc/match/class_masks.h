// The masks of pieces that are runs of classes of code points (regex/class_rule.h).
//
//   bytes    i t ' s ␣ a b c ␣ ␣ d !      '(?:s|ll)| ?[a-z]+| ?[^a-z\s]+|\s+
//   letters  1 1 0 1 0 1 1 1 0 0 1 0
//   ends     0 1 0 1 0 0 0 1 0 1 1 1      at a change of class; not at a lead, nor at a mark that has an ending
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
  ClassMasks(const ClassRule& rule, const simd::Primitives& simd)
      : rule_(rule), simd_(simd), has_joints_(rule.has_joints()) {
    if (rule.words) words_.emplace(*rule.words);
  }

  // Sets the bits of the bytes that are part of a piece, and of those that pieces end on. The blocks of a string come
  // in order; no block ends inside a code point.
  void split(const Block& block, uint64_t* kept, uint64_t* ends);

 private:
  // A look-ahead of what an ending, a lead or a minimum needs.
  static constexpr int64_t kMaxAhead = 4 * ClassRule::kMaxMinimum;
  static constexpr int64_t kWords = words_for(kBlockBytes + kMaxAhead) + 2;
  using BlockMask = std::array<uint64_t, static_cast<size_t>(kWords)>;

  void classify(const Block& block);
  void classify_beyond_ascii(const Block& block);
  void end_runs();
  void join_runs(const Block& block);
  uint32_t join_once(const Block& block, const BlockMask& words, uint32_t joined, BlockMask* joints);
  void give_back();
  void join_leads(const uint8_t* data);
  void join_endings(const Block& block);
  int64_t ending_length(const uint8_t* data, int64_t mark) const;
  void drop_short();
  void drop_short_ascii(const BlockMask& begins);
  bool is_short(int64_t begin, int64_t end) const;

  uint64_t down(const BlockMask& words, int64_t w) const {
    const auto i = static_cast<size_t>(w);
    return words[i] >> 1 | words[i + 1] << (kWordBits - 1);
  }
  // The bits of the byte after, and of the byte before, in the same string.
  uint64_t next(const BlockMask& words, int64_t w) const { return down(words, w) & ~down(starts_, w); }
  uint64_t before(const BlockMask& words, int64_t w, uint64_t carry) const {
    const auto i = static_cast<size_t>(w);
    return (words[i] << 1 | (w == 0 ? carry : words[i - 1] >> (kWordBits - 1))) & ~starts_[i];
  }

  const ClassRule& rule_;
  const simd::Primitives& simd_;
  const bool has_joints_;
  std::optional<WordMasks> words_;
  int64_t num_bytes_ = 0, num_words_ = 0;  // of the block and what is read after it
  bool beyond_ascii_ = false;

  // The state after the last byte of the previous block, if its string continues: whether the byte is of the class of
  // the lead, of the mark, a lead, kept, and an end; how many bytes of the next block belong to an ending, whose piece
  // ends there; bits of its classes, and of those whose match has a joint.
  struct {
    uint64_t lead_class = 0, mark_class = 0, lead = 0, kept = 0, end = 0;
    int64_t ending = 0;
    uint32_t classes = 0, joined = 0;
  } last_;

  std::array<BlockMask, ClassRule::kMaxClasses> classes_;
  // The numbers of the classes of bytes beyond ASCII.
  std::array<uint8_t, kBlockBytes + kMaxAhead + 4> numbers_{};
  BlockMask starts_, codepoint_ends_, kept_, ends_, leads_, beyond_leads_, scratch_;
};

}  // namespace stringops::kernels
