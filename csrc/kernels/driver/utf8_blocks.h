// Whether strings are valid UTF-8, by blocks.
#pragma once

#include <cstdint>
#include <optional>

#include "core/utf8.h"
#include "kernels/driver/blocks.h"
#include "kernels/driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Whether the block's strings from string `first` on are valid UTF-8, each by itself: the bytes are valid as a whole,
// and no string begins inside a code point.
inline bool are_utf8(const simd::Primitives& simd, const Block& block, int64_t first) {
  const int64_t begin = first > 0 ? block.string_ends[first - 1] : 0;
  if (!simd.is_utf8(block.data + begin, block.num_bytes - begin)) return false;
  for (int64_t k = first; k < block.num_strings; ++k) {
    if (block.string_ends[k] < block.num_bytes && is_continuation(block.data[block.string_ends[k]])) return false;
  }
  return true;
}

// The first invalid byte of the block's strings. A string of several blocks is checked with its first block.
inline std::optional<Position> find_invalid(const StringSpan& in, const simd::Primitives& simd, const Block& block) {
  if (block.num_strings == 0) {
    if (block.continues) return std::nullopt;
    const std::string_view text = in[block.first_string];
    const auto* const begin = reinterpret_cast<const uint8_t*>(text.data());
    if (simd.is_utf8(begin, static_cast<int64_t>(text.size()))) return std::nullopt;
    const auto at = find_invalid_utf8(begin, begin + text.size());
    return at ? std::optional(Position{block.first_string, *at}) : std::nullopt;
  }
  const int64_t first = block.continues;
  int64_t begin = block.continues ? block.string_ends[0] : 0;
  if (are_utf8(simd, block, first)) return std::nullopt;
  for (int64_t k = first; k < block.num_strings; ++k) {
    const int64_t end = std::max<int64_t>(block.string_ends[k], begin);
    if (const auto at = find_invalid_utf8(block.data + begin, block.data + end)) {
      return Position{block.first_string + k, *at};
    }
    begin = end;
  }
  return std::nullopt;
}

// Throws the error for the first byte of `in` that is not part of a code point.
void check_utf8(const char* op, const Runner& runner, const StringSpan& in);

}  // namespace stringops::kernels
