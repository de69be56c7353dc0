// The matches of a pattern in many strings: their blocks, each with masks, as literal_matches.h of a literal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "core/bits.h"
#include "regex/match.h"
#include "simd/primitives.h"
#include "split/block_rule.h"
#include "split/blocks.h"
#include "split/mask_maker.h"

namespace stringops::kernels {

class MatchBlocks {
 public:
  // The pieces of `rule` are the matches, none of which is empty.
  MatchBlocks(const StringSpan& in, int64_t first, int64_t last, const BlockRule& rule)
      : simd_(simd::primitives()), reader_(in, {first, 0}, {last, 0}), maker_(rule.make_maker(0)), masks_(simd_) {}

  // Reads the next block of strings [first, last), and finds the matches; false if nothing is left.
  bool next() {
    if (!reader_.next(block_)) return false;
    maker_->find(block_, masks_);
    marker_.mark(block_, masks_, begins_.data());
    num_words_ = words_for(block_.num_bytes);
    begins_inside_ = num_words_ > 0 && (masks_.kept[0] & ~begins_[0] & 1) != 0;
    return true;
  }

  const Block& block() const { return block_; }

  // The matches that begin in the block, those that end in it, and the bytes of it that belong to one.
  int64_t num_begins() const { return simd_.count_bits(begins_.data(), num_words_); }
  int64_t num_ends() const { return simd_.count_bits(masks_.ends.data(), num_words_); }
  int64_t num_bytes() const { return simd_.count_bits(masks_.kept.data(), num_words_); }

  // Whether the first byte belongs to a match that begins in an earlier block.
  bool begins_inside() const { return begins_inside_; }

  // counts[k]: the matches in the strings 0..k of the block, its num_strings, and their bytes.
  void count_strings(int32_t* counts) { masks_.count_in_strings(block_, masks_.ends.data(), counts); }
  void count_bytes(int32_t* counts) { masks_.count_in_strings(block_, masks_.kept.data(), counts); }

  // Returns the first byte in [from, to) with which a match begins, or ends; -1 if there is none.
  int64_t first_begin(int64_t from, int64_t to) const { return first_of(begins_.data(), from, to); }
  int64_t first_end(int64_t from, int64_t to) const { return first_of(masks_.ends.data(), from, to); }

  // Skips what is left of the string that continues after the block.
  void skip_rest() { reader_.skip_rest(); }

  // Calls take(begin, end, begins, ends) for each match, from left to right: the bytes of it that are in the block, and
  // whether it begins and ends there, as those of a long string may not.
  template <class Take>
  void for_each(Take&& take) const {
    Bits begins(begins_.data(), num_words_), ends(masks_.ends.data(), num_words_);
    int64_t begin = 0, last = 0;
    bool begins_here = !begins_inside_;
    bool found = begins_inside_ || begins.next(&begin);
    while (found) {
      const bool ends_here = ends.next(&last);
      take(begin, ends_here ? std::max(last + 1, begin) : block_.num_bytes, begins_here, ends_here);
      begins_here = true;
      found = ends_here && begins.next(&begin);
    }
  }

 private:
  static int64_t first_of(const uint64_t* mask, int64_t from, int64_t to) {
    for (int64_t w = from / kWordBits; w * kWordBits < to; ++w) {
      const uint64_t word = w == from / kWordBits ? mask[w] & ~low_bits(from % kWordBits) : mask[w];
      if (word == 0) continue;
      const int64_t at = w * kWordBits + first_bit(word);
      return at < to ? at : -1;
    }
    return -1;
  }

  const simd::Primitives& simd_;
  BlockReader reader_;
  const std::unique_ptr<MaskMaker> maker_;
  PieceMasks masks_;
  PieceBegins marker_;
  Block block_;
  int64_t num_words_ = 0;
  std::array<uint64_t, kBlockWords> begins_;
  bool begins_inside_ = false;
};

// Calls take(match) for each match, in bytes from the beginning of its string, and end_string(size) after those of each
// string [first, last).
template <class Take, class EndString>
void for_each_match(const StringSpan& in, int64_t first, int64_t last, const BlockRule& rule, Take&& take,
                    EndString&& end_string) {
  MatchBlocks blocks(in, first, last, rule);
  int64_t string_begin = 0;  // from the block's, negative if the string has bytes in earlier ones
  Match match{0, 0};
  while (blocks.next()) {
    const Block& block = blocks.block();
    if (!block.starts_inside) string_begin = 0;
    int64_t k = 0;
    const auto end_strings = [&](int64_t at) {
      for (; k < block.num_strings && block.end(k) <= at; ++k) {
        end_string(block.end(k) - string_begin);
        string_begin = block.end(k);
      }
    };
    blocks.for_each([&](int64_t begin, int64_t end, bool begins, bool ends) {
      end_strings(begin);
      if (begins) match.begin = begin - string_begin;
      if (!ends) return;
      match.end = end - string_begin;
      match.begin = std::min(match.begin, match.end);
      take(match);
    });
    end_strings(block.num_bytes);
    string_begin -= block.num_bytes;
  }
}

}  // namespace stringops::kernels
