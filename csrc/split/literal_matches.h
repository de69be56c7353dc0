// A literal in blocks of strings, each with the mask of its occurrences.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "simd/primitives.h"
#include "split/blocks.h"
#include "split/cut_limit.h"
#include "split/delimiter_finder.h"

namespace stringops::kernels {

class LiteralMatches {
 public:
  // Blocks are only searched for a literal of 1 to kMaxBlockDelimiter bytes. Only the first `max_matches` of each
  // string count; negative: all.
  explicit LiteralMatches(std::string_view literal, int64_t max_matches = -1);

  // Finds the literal in a block. The blocks of a long string must come in order.
  void find(const Block& block);

  // Bit i: an occurrence begins at byte i; those of a string do not overlap. One that begins in a block of a long
  // string may end in the next one. Two words after those of the block are 0.
  const uint64_t* begins() const { return begins_.data(); }
  int64_t count() const { return count_; }

  // The bytes of the last occurrence that are beyond the block.
  int64_t bytes_beyond(const Block& block) const;

  // counts[k]: the occurrences in the strings 0..k of the block, its num_strings.
  const int32_t* count_strings(const Block& block);

 private:
  const simd::Primitives& simd_;
  DelimiterFinder finder_;
  CutLimit limit_;
  int64_t count_ = 0;
  std::array<uint64_t, kBlockWords + 2> begins_, beyond_, string_starts_;
  std::array<int32_t, kBlockWords + 1> prefix_;
  std::array<int32_t, kBlockStrings> counts_;
};

}  // namespace stringops::kernels
