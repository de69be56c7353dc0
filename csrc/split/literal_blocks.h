// A literal in many strings: their blocks, each with the mask of the literal's occurrences.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "simd/primitives.h"
#include "split/blocks.h"
#include "split/cut_limit.h"
#include "split/delimiter_finder.h"

namespace stringops::kernels {

class LiteralBlocks {
 public:
  // `literal` has 1 to kMaxBlockDelimiter bytes. Only the first `max_matches` of each string count; negative: all.
  LiteralBlocks(const StringSpan& in, int64_t first, int64_t last, std::string_view literal, int64_t max_matches = -1);

  // Reads the next block of strings [first, last), and finds the literal; false if nothing is left.
  bool next();

  const Block& block() const { return block_; }

  // Bit i: an occurrence begins at byte i; those of a string do not overlap. One that begins in a block of a long
  // string may end in the next one.
  const uint64_t* matches() const { return matches_.data(); }
  int64_t num_matches() const { return num_matches_; }

  // The bytes of the last occurrence that are beyond the block.
  int64_t bytes_beyond() const;

  // counts[k]: the occurrences in the strings 0..k of the block, its num_strings.
  const int32_t* count_strings();

 private:
  const simd::Primitives& simd_;
  BlockReader reader_;
  DelimiterFinder finder_;
  CutLimit limit_;
  Block block_;
  int64_t num_matches_ = 0;
  std::array<uint64_t, kBlockWords + 1> matches_, beyond_;
  std::array<uint64_t, kBlockWords + 2> string_starts_;
  std::array<int32_t, kBlockWords + 1> prefix_;
  std::array<int32_t, kBlockStrings> counts_;
};

}  // namespace stringops::kernels
