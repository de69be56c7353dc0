// Whether strings are valid UTF-8, by blocks.
#pragma once

#include <cstdint>
#include <optional>

#include "core/utf8.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Whether the block's strings are valid UTF-8, each by itself: the bytes are valid as a whole, and no string begins
// inside a code point.
inline bool are_utf8(const simd::Primitives& simd, const Block& block) {
  if (!simd.is_utf8(block.data, block.num_bytes)) return false;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    if (block.string_ends[k] < block.num_bytes && is_continuation(block.data[block.string_ends[k]])) return false;
  }
  return true;
}

// The first invalid byte of the block's strings. A string of several blocks is checked with each of them, as none
// begins inside a code point of a valid string.
inline std::optional<Position> find_invalid(const StringSpan& in, const simd::Primitives& simd, const Block& block) {
  if (are_utf8(simd, block)) return std::nullopt;
  int64_t begin = 0;
  if (block.starts_inside || block.num_strings == 0) {
    // All of the string is searched, as the block before may end with the first bytes of the code point.
    const std::string_view text = in[block.first_string];
    const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
    const auto at = find_invalid_utf8(bytes, bytes + text.size());
    if (at) return Position{block.first_string, *at};
    if (block.num_strings == 0) return std::nullopt;
    begin = block.string_ends[0];
  }
  for (int64_t k = block.starts_inside; k < block.num_strings; ++k) {
    const int64_t end = std::max<int64_t>(block.string_ends[k], begin);
    if (const auto at = find_invalid_utf8(block.data + begin, block.data + end)) {
      return Position{block.first_string + k, *at};
    }
    begin = end;
  }
  return std::nullopt;
}

}  // namespace stringops::kernels
