// Cutting a whole block of strings at once: finds the pieces by a rule, and writes or counts them.
#pragma once

#include <cstdint>
#include <memory>

#include "simd/primitives.h"
#include "split/block_rule.h"
#include "split/blocks.h"
#include "split/mask_maker.h"

namespace stringops::kernels {

class BlockSplitter {
 public:
  // If the first block begins inside a string, it begins after a separator, and after `cuts` cuts if they are limited.
  explicit BlockSplitter(const BlockRule& rule, int64_t cuts = 0)
      : maker_(rule.make_maker(cuts)), masks_(simd::primitives()) {}

  // Finds the pieces of the block. The blocks of a long string must come in order.
  void split(const Block& block);

  // Instead of split: counts the kept bytes and the pieces, including the repeats (mask_maker.h).
  simd::PieceCounts count(const Block& block);

  // After count, or after split and write, for each string that ends in the block: set string_pieces()[k] to
  // the number of pieces in strings 0..k, without the repeats (count_ends) or including them (count_strings).
  void count_ends(const Block& block);
  void count_strings(const Block& block);

  // Writes the kept bytes, and the ends of the pieces without the repeats (simd::PieceBlock).
  simd::PieceCounts write(const Block& block, int32_t base, uint8_t* out, const uint8_t* out_limit, int32_t* out_ends,
                          const int32_t* out_ends_limit);

  // Sets is_repeat[j] for each of `count` pieces if there are repeats, and maybe the byte before.
  void mark_repeats(const Block& block, int64_t count, uint8_t* is_repeat) const;

  const int32_t* string_pieces() const { return masks_.string_pieces.data(); }
  int64_t num_repeats() const { return masks_.num_repeats; }
  // If there are repeats: whether the last piece of string k is one.
  bool ends_in_repeat(int64_t k) const { return masks_.ends_in_repeat[static_cast<size_t>(k)] != 0; }

 private:
  simd::PieceCounts cut_strings(const CutStrings& by, const Block& block, const simd::PieceRoom* room);

  const std::unique_ptr<MaskMaker> maker_;
  Pieces pieces_;
  PieceMasks masks_;
};

}  // namespace stringops::kernels
