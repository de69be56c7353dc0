// A slice of each string, in code points or bytes (driver/substring_map.h). A byte that is not part of a code point
// counts as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/codepoint.h"
#include "core/utf8.h"
#include "driver/substring_map.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Sets pieces[k] to the slice of string k of a block (driver/substring_map.h). Returns false if reading all of its
// bytes is not worth it, or if they are not UTF-8.
bool slice_block(const Block& block, const simd::CodepointSlice& slice, bool bytes, simd::ShortPiece* pieces);

// Code points or bytes [start, stop) of each string, as in a slice of Python: negative numbers count from the end.
template <bool kBytes>
struct Slice {
  using Driver = SubstringMap;
  static constexpr Cost kCost{6, kBytes ? 0.03 : 0.2};

  int64_t start;
  std::optional<int64_t> stop;

  bool find_pieces(const Block& block, simd::ShortPiece* pieces) const {
    return slice_block(block, {start, stop.value_or(INT64_MAX)}, kBytes, pieces);
  }

  StringView piece(StringView in) const {
    if constexpr (kBytes) {
      const int64_t first = bound(start, in.size()), last = stop ? bound(*stop, in.size()) : in.size();
      return {in.begin + first, in.begin + std::max(first, last)};
    } else {
      const uint8_t* const begin = find(in, start);
      if (!stop) return {begin, in.end};
      // A bound from the beginning after another is found from there on.
      const uint8_t* const last = start >= 0 && *stop >= 0 ? skip(begin, in.end, *stop - start) : find(in, *stop);
      return {begin, std::max(begin, last)};
    }
  }

 private:
  // Returns the position of a bound in a string of this length.
  static int64_t bound(int64_t at, int64_t length) {
    return at < 0 ? std::max<int64_t>(at + length, 0) : std::min(at, length);
  }

  // Returns the position of a bound in code points.
  static const uint8_t* find(StringView in, int64_t at) {
    return at < 0 ? skip_back(in.begin, in.end, at) : skip(in.begin, in.end, at);
  }

  // Returns the beginning of the last -count code points.
  static const uint8_t* skip_back(const uint8_t* begin, const uint8_t* p, int64_t count) {
    if (count <= begin - p) return begin;
    for (; count < 0 && p > begin; ++count) p -= read_codepoint_before(begin, p).length;
    return p;
  }

  // Returns the end of the first `count` code points.
  static const uint8_t* skip(const uint8_t* p, const uint8_t* end, int64_t count) {
    if (count <= 0 || p == end) return p;
    if (count >= end - p) return end;
    while (count > 0 && p < end) {
      // Eight ASCII characters at once.
      while (count >= 8 && end - p >= 8 && is_ascii(p, 8)) {
        p += 8;
        count -= 8;
      }
      for (; count > 0 && p < end && *p < 0x80; --count) ++p;
      for (; count > 0 && p < end && *p >= 0x80; --count) p += std::max<int64_t>(long_codepoint(p, end), 1);
    }
    return p;
  }
};

}  // namespace stringops::kernels
