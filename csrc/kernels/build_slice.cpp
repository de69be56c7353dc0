#include "kernels/build_slice.h"

#include <array>

#include "core/bits.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

// The mean size of strings from which on reading the few code points of a slice is faster than reading all bytes.
constexpr int64_t kLong = 256;

}  // namespace

bool slice_block(const Block& block, const simd::CodepointSlice& slice, bool bytes, simd::ShortPiece* pieces) {
  const simd::Primitives& simd = simd::primitives();
  const int32_t* const ends = block.string_ends.data();
  const auto cut = [&](const uint64_t* codepoint_ends) {
    simd.slice_codepoints(codepoint_ends, ends, block.num_strings, slice, pieces);
    return true;
  };
  if (bytes) return cut(nullptr);
  if (block.num_bytes > kLong * block.num_strings) return false;
  if (is_ascii(block.data, block.num_bytes)) return cut(nullptr);
  if (!are_utf8(simd, block)) return false;
  // Two words after the last one are read for an empty string at the end of the block.
  std::array<uint64_t, words_for(kBlockBytes) + 2> codepoint_ends;
  simd.find_codepoint_ends(block.data, block.num_bytes, codepoint_ends.data());
  const auto words = static_cast<size_t>(words_for(block.num_bytes));
  codepoint_ends[words] = codepoint_ends[words + 1] = 0;
  return cut(codepoint_ends.data());
}

}  // namespace stringops::kernels
