// Blocks of strings: a few KB of consecutive bytes, whole strings if they fit, so that primitives process many strings
// at once and their intermediate results stay in the first-level cache.
//
// Strings are read in place. A string longer than a block is divided into several. The offsets are a clamped copy, so a
// block is consistent even under concurrent writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/bits.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "core/testing.h"
#include "split/partition.h"

namespace stringops::kernels {

constexpr int64_t kBlockBytes = block_size(8 * 1024, 128);
constexpr int64_t kBlockWords = kBlockBytes / kWordBits;
constexpr int64_t kBlockStrings = block_size(1024, 16);

struct Block {
  const uint8_t* data = nullptr;
  int64_t num_bytes = 0;
  int64_t readable = 0;        // bytes that may be read at `data`: more than num_bytes only if the string continues
  int64_t first_string = 0;    // flat index of the string that the first byte belongs to
  int64_t num_strings = 0;     // strings that end in this block
  bool starts_inside = false;  // the first byte is not the first of its string
  int64_t num_before = 0;      // bytes of that string before the block
  const uint8_t* data_end = nullptr;               // bytes of other strings may be read up to here
  std::array<int32_t, kBlockStrings> string_ends;  // positions in the block, ascending

  // The positions of string k in the block.
  int32_t begin(int64_t k) const { return k == 0 ? 0 : string_ends[static_cast<size_t>(k) - 1]; }
  int32_t end(int64_t k) const { return string_ends[static_cast<size_t>(k)]; }
  StringView string(int64_t k) const { return {data + begin(k), data + end(k)}; }
};

// Sets bit p if a string ends before byte p, so that the next one begins there, if there is one; clears the others up
// to two words beyond the block. Bit 0, where the first string begins, is set only if that string is empty.
void mark_string_starts(const Block& block, uint64_t* string_starts);

// Clears the bits of the last word that are beyond the block.
void trim_last_word(const Block& block, uint64_t* words);

class BlockReader {
 public:
  // Reads from `begin` to `end`; a string that `end` divides is read up to there.
  BlockReader(const StringSpan& span, Position begin, Position end);

  // Fills the block; returns false if nothing is left. A string longer than a block is not divided inside a code point
  // of valid UTF-8.
  bool next(Block& block);

  // Skips what is left of a string whose first block was read.
  void skip_rest() { advance(1); }

 private:
  bool read_first(Block& block);
  void extend(Block& block);
  void advance(int64_t count);

  const StringSpan& span_;
  Position at_;
  const Position end_;
  Pace pace_;
};

// Calls take(block) for blocks of whole strings [first, last), which takes them, or returns false. Then, and for a
// string that is longer than a block, calls take_one(i, string) for each string.
template <class Take, class TakeOne>
void read_blocks(const StringSpan& in, int64_t first, int64_t last, Take&& take, TakeOne&& take_one) {
  BlockReader reader(in, {first, 0}, {last, 0});
  Block block;
  while (reader.next(block)) {
    const int64_t index = block.first_string;
    if (block.num_strings == 0) {
      take_one(index, in.view(in.range(index)));
      reader.skip_rest();
    } else if (!take(block)) {
      for (int64_t k = 0; k < block.num_strings; ++k) take_one(index + k, block.string(k));
    }
  }
}

}  // namespace stringops::kernels
