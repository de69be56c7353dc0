#include "split/block_splitter.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "core/copy_bytes.h"

namespace stringops::kernels {
namespace {

template <class... F>
struct ByForm : F... {
  using F::operator()...;
};
template <class... F>
ByForm(F...) -> ByForm<F...>;

constexpr auto kNothing = [](const auto&) { return simd::PieceCounts{0, 0, true}; };

}  // namespace

void BlockSplitter::split(const Block& block) {
  masks_.num_repeats = 0;
  pieces_ = maker_->find(block, masks_);
}

simd::PieceCounts BlockSplitter::count(const Block& block) {
  split(block);
  const auto masked = [&](MaskedPieces) {
    const int64_t num_words = words_for(block.num_bytes);
    return simd::PieceCounts{masks_.simd.count_bits(masks_.kept.data(), num_words),
                             masks_.simd.count_bits(masks_.ends.data(), num_words) + masks_.num_repeats, true};
  };
  const auto strings = [&](WholeStrings) { return simd::PieceCounts{block.num_bytes, block.num_strings, true}; };
  const auto cut = [&](const CutStrings& by) { return cut_strings(by, block, nullptr); };
  return std::visit(ByForm{masked, strings, cut, kNothing}, pieces_);
}

void BlockSplitter::count_ends(const Block& block) {
  int32_t* const counts = masks_.string_pieces.data();
  const auto none = [&](NoPieces) { std::fill_n(counts, block.num_strings, 0); };
  const auto masked = [&](MaskedPieces) { masks_.count_in_strings(block, masks_.ends.data(), counts); };
  const auto strings = [&](WholeStrings) { std::iota(counts, counts + block.num_strings, 1); };
  const auto known = [](const auto&) {};  // the others have been counted
  std::visit(ByForm{none, masked, strings, known}, pieces_);
}

void BlockSplitter::count_strings(const Block& block) {
  count_ends(block);
  if (masks_.num_repeats == 0) return;
  int32_t repeats = 0;
  for (size_t k = 0; k < static_cast<size_t>(block.num_strings); ++k) {
    repeats += masks_.ends_in_repeat[k];
    masks_.string_pieces[k] += repeats;
  }
}

simd::PieceCounts BlockSplitter::cut_strings(const CutStrings& by, const Block& block, const simd::PieceRoom* room) {
  return masks_.simd.cut_limited({block.data, block.data_end - block.data, block.string_ends.data(), block.num_strings,
                                  by.max_cuts, by.at_whitespace, by.delimiter},
                                 room, masks_.string_pieces.data());
}

void BlockSplitter::mark_repeats(const Block& block, int64_t count, uint8_t* is_repeat) const {
  std::fill_n(is_repeat, count, 0);
  for (size_t k = 0; k < static_cast<size_t>(block.num_strings); ++k) {
    is_repeat[masks_.string_pieces[k] - 1] |= masks_.ends_in_repeat[k];
  }
}

simd::PieceCounts BlockSplitter::write(const Block& block, int32_t base, uint8_t* out, const uint8_t* out_limit,
                                       int32_t* out_ends, const int32_t* out_ends_limit) {
  const auto masked = [&](MaskedPieces) {
    return masks_.simd.write_pieces({block.data, masks_.kept.data(), masks_.ends.data(), block.num_bytes, base, out,
                                     out_limit, out_ends, out_ends_limit});
  };
  const auto strings = [&](WholeStrings) {
    const int64_t bytes = std::min<int64_t>(block.num_bytes, out_limit - out);
    const int64_t count = std::min<int64_t>(block.num_strings, out_ends_limit - out_ends);
    copy_bytes(out, block.data, bytes);
    masks_.simd.shift_offsets(block.string_ends.data(), count, base, out_ends);
    return simd::PieceCounts{bytes, count, bytes == block.num_bytes && count == block.num_strings};
  };
  const auto cut = [&](const CutStrings& by) {
    const simd::PieceRoom room{base, out, out_limit, out_ends, out_ends_limit};
    return cut_strings(by, block, &room);
  };
  return std::visit(ByForm{masked, strings, cut, kNothing}, pieces_);
}

}  // namespace stringops::kernels
