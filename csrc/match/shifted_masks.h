// Masks of one bit per byte that are moved by some places: to the neighbours of each byte, and by the counts of
// repetitions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"

namespace stringops::kernels {

// The bits of the mask at the next byte, and at the byte before.
inline uint64_t after(const uint64_t* mask, int64_t w) {
  return mask[w] >> 1 | mask[w + 1] << (kWordBits - 1);
}

inline uint64_t before(const uint64_t* mask, int64_t w) {
  return mask[w] << 1 | (w > 0 ? mask[w - 1] >> (kWordBits - 1) : 0);
}

// out: the bits n places before, or if `up` after. The others are 0.
template <bool up>
void shift(const uint64_t* in, int64_t n, int64_t words, uint64_t* __restrict out) {
  const int64_t by = n / kWordBits, left = n % kWordBits;
  const int64_t count = std::max<int64_t>(words - by, 0);
  const uint64_t other = left == 0 ? 0 : ~uint64_t{0};
  const int64_t right = (kWordBits - left) % kWordBits;
  if (up) {
    std::fill_n(out, words - count, 0);
    if (count > 0) out[by] = in[0] << left;
    for (int64_t w = 1; w < count; ++w) out[w + by] = in[w] << left | (in[w - 1] >> right & other);
  } else {
    for (int64_t w = 0; w + 1 < count; ++w) out[w] = in[w + by] >> left | (in[w + by + 1] << right & other);
    if (count > 0) out[count - 1] = in[words - 1] >> left;
    std::fill_n(out + count, words - count, 0);
  }
}

inline void add_run(const uint64_t* run, const uint64_t* moved, int64_t words, uint64_t* bits) {
  for (int64_t w = 0; w < words; ++w) bits[w] |= run[w] & moved[w];
}

// Sets `bits` to the bits of `once` and the n - 1 places before them, or if `up` after them, as far as these are in
// `run`, and `all` to the places where n in a row are, counted likewise. The length is doubled at each step.
template <bool up>
void extend(const uint64_t* run, int64_t n, int64_t words, const uint64_t* once, uint64_t* bits, uint64_t* all,
            uint64_t* moved) {
  std::copy_n(once, words, bits);
  std::copy_n(run, words, all);
  for (int64_t step = last_bit(static_cast<uint64_t>(n)), length = 1; step-- > 0;) {
    shift<up>(bits, length, words, moved);
    add_run(all, moved, words, bits);
    shift<up>(all, length, words, moved);
    for (int64_t w = 0; w < words; ++w) all[w] &= moved[w];
    length *= 2;
    if ((n >> step & 1) == 0) continue;
    shift<up>(bits, 1, words, moved);
    for (int64_t w = 0; w < words; ++w) bits[w] = once[w] | (run[w] & moved[w]);
    shift<up>(all, 1, words, moved);
    for (int64_t w = 0; w < words; ++w) all[w] = run[w] & moved[w];
    ++length;
  }
}

// Sets each bit to whether all, or if `any` some of n bits are set: it and those after it, or if `up` it and those
// before it.
template <bool up, bool any>
void combine(int64_t n, int64_t words, uint64_t* bits, uint64_t* moved) {
  for (int64_t length = 1; length < n;) {
    const int64_t step = std::min(length, n - length);
    shift<up>(bits, step, words, moved);
    for (int64_t w = 0; w < words; ++w) bits[w] = any ? bits[w] | moved[w] : bits[w] & moved[w];
    length += step;
  }
}

// Adds to `bits` and `entered` the places to which steps of n lead from `bits`, as long as each step ends on one of
// `stops`, which are overwritten. The length is doubled at each round.
inline void extend_steps(uint64_t* stops, int64_t n, int64_t words, uint64_t* bits, uint64_t* entered,
                         uint64_t* moved) {
  uint64_t added = 1;
  for (int64_t length = n; added != 0; length *= 2) {
    added = 0;
    shift<true>(bits, length, words, moved);
    for (int64_t w = 0; w < words; ++w) {
      const uint64_t next = moved[w] & stops[w];
      added |= next & ~bits[w];
      entered[w] |= next;
      bits[w] |= next;
    }
    shift<true>(stops, length, words, moved);
    for (int64_t w = 0; w < words; ++w) stops[w] &= moved[w];
  }
}

}  // namespace stringops::kernels
