// slice_codepoints, compiled for each tier. Included once by its file, after the pragma of its target.
#pragma once

#include <algorithm>

#include "core/bits.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// Returns the position of a bound in a string, from `begin` on. Code points end at the set bits. Sizes are
// unpredictable, so there is no branch on them if 64 bytes suffice: the first ones, or the last ones. select(word, bit)
// returns the position of the set bit of the word whose number is that of the set bit of `bit`; or 64.
template <class Select>
[[gnu::always_inline]] inline int64_t find_bound(const uint64_t* ends, int64_t begin, int64_t size, int64_t bound,
                                                 const Select& select) {
  const auto bit = [](int64_t number) { return number < kWordBits ? uint64_t{1} << number : 0; };
  if (bound >= 0) {
    uint64_t starts = (bits_at(ends, begin) << 1 | 1) & low_bits(size);
    for (int64_t at = 0;;) {
      const int64_t count = popcount(starts), left = size - at;
      if ((bound < count) | (left <= kWordBits)) return at + std::min<int64_t>(select(starts, bit(bound)), left);
      bound -= count;
      at += kWordBits;
      starts = bits_at(ends, begin + at - 1) & low_bits(size - at);
    }
  }
  for (int64_t left = size;;) {
    const int64_t at = std::max<int64_t>(left - kWordBits, 0);
    const uint64_t word = bits_at(ends, begin + at) & low_bits(left - at);
    const int64_t number = popcount(word) + bound - 1;  // number of the code point before the bound
    if ((number >= 0) | (at == 0)) {
      const int64_t end = at + select(word, bit(number & (kWordBits - 1))) + 1;
      return end & (static_cast<int64_t>(number < 0) - 1);  // 0 if there are too few
    }
    bound += popcount(word);
    left = at;
  }
}

template <class Select>
[[gnu::always_inline]] inline void slice_strings(const uint64_t* codepoint_ends, const int32_t* ends, int64_t count,
                                                 const CodepointSlice& slice, ShortPiece* pieces,
                                                 const Select& select) {
  // This is a copy, because storing pieces could change the original, with numbers that do not overflow.
  constexpr int64_t kFar = int64_t{1} << 40;
  const CodepointSlice bounds{std::clamp(slice.start, -kFar, kFar), std::clamp(slice.stop, -kFar, kFar)};
  const bool to_end = bounds.stop == kFar;
  int64_t begin = 0;
  for (int64_t k = 0; k < count; begin = ends[k++]) {
    const int64_t size = ends[k] - begin;
    const int64_t first = find_bound(codepoint_ends, begin, size, bounds.start, select);
    const int64_t last = to_end ? size : find_bound(codepoint_ends, begin, size, bounds.stop, select);
    pieces[k] = short_piece(first, std::max<int64_t>(last - first, 0));
  }
}

// The loop is vectorized: it has numbers of 32 bits, and no branch.
void slice_bytes(const int32_t* __restrict ends, int64_t count, const CodepointSlice& slice,
                 ShortPiece* __restrict pieces) {
  struct Bound {
    int32_t at;
    int32_t of_end;  // all ones if it counts from the end
  };
  // Sizes are far below 2**30.
  const auto narrowed = [](int64_t at) {
    constexpr int64_t kFar = 1 << 30;
    return Bound{static_cast<int32_t>(std::clamp(at, -kFar, kFar)), at < 0 ? -1 : 0};
  };
  const Bound start = narrowed(slice.start), stop = narrowed(slice.stop);
  const auto cut = [&](int32_t begin, int32_t end) {
    const int32_t size = end - begin;
    const auto position = [&](Bound bound) { return std::min(std::max(bound.at + (size & bound.of_end), 0), size); };
    const int32_t first = position(start), length = std::max(position(stop) - first, 0);
    const int32_t is_long = std::max(first, length) >= ShortPiece::kLong ? ShortPiece::kLong : 0;
    return ShortPiece{static_cast<uint8_t>(first), static_cast<uint8_t>(length | is_long)};
  };
  if (count > 0) pieces[0] = cut(0, ends[0]);
  for (int64_t k = 1; k < count; ++k) pieces[k] = cut(ends[k - 1], ends[k]);
}

}  // namespace
}  // namespace stringops::simd
