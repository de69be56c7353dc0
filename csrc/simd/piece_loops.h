// Whitespace and pieces of blocks, in loops that vector tiers without a compression of bytes share. Included once by
// the file of a tier, after block_loops.h and its definitions of
//
//   ascii_whitespace(x)              mask of the lanes of ASCII whitespace
//   compress_block(data, keep, out)  writes the kept ones of 64 bytes, and no more than 64
//   write_positions(ends, base, out) writes base + 1 + i for each bit i of `ends`, and no more than 64 numbers
//   V::kCounts, V::count(word, base, out)     writes base + (set bits of word(k)) for k from 0 to kCounts - 1, in order
#pragma once

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/narrow.h"
#include "core/prefetch.h"
#include "core/whitespace.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

bool find_whitespace(const uint8_t* data, int64_t n, uint64_t* words) {
  uint64_t high = 0;
  uint64_t carry = 0;  // bits of this word that belong to a character that begins in the previous word
  for (int64_t i = 0; i < n; i += 64) {
    const Bytes64 x = V::load_block(data, i, n);
    uint64_t word = ascii_whitespace(x) | carry;
    carry = 0;
    if (const uint64_t high_here = signs(x)) {
      high |= high_here;
      // Few positions have the first two bytes of a two- or three-byte whitespace character; each is checked.
      const Bytes64 y = V::load_block(data, i + 1, n);
      uint64_t candidates = (equal(x, 0xC2) & (equal(y, 0x85) | equal(y, 0xA0))) |
                            (equal(x, 0xE2) & (equal(y, 0x80) | equal(y, 0x81))) | (equal(x, 0xE1) & equal(y, 0x9A)) |
                            (equal(x, 0xE3) & equal(y, 0x80));
      for (; candidates; candidates &= candidates - 1) {
        const int at = first_bit(candidates);
        const uint64_t bits = low_bits(whitespace_length(data + i + at, data + n));
        word |= bits << at;
        if (at > 61) carry |= bits >> (64 - at);
      }
    }
    words[i / 64] = word & low_bits(n - i);
  }
  return high == 0;
}

// The numbers of ends per block that are always written: about as many as 64 bytes of rare pieces have, and as many as
// they have of words or fields, so that the loop over more is rarely entered. The next block overwrites excess ones.
constexpr int64_t kFewEnds = V::kCounts, kUsualEnds = 12;
// Bytes of rare pieces are prefetched that far ahead, as the processor does not foresee which lines are skipped.
constexpr int64_t kAhead = 768;

PieceCounts write_pieces(const PieceBlock& b) {
  uint8_t* out = b.out;
  int32_t* out_ends = b.out_ends;
  bool complete = true;
  for (int64_t i = 0; i < b.n; i += 64) {
    const uint64_t keep = b.keep[i / 64];
    prefetch(reinterpret_cast<uintptr_t>(b.data) + static_cast<uintptr_t>(i + kAhead));
    if ((keep | b.ends[i / 64]) == 0) continue;
    const int32_t base = b.base + narrow<int32_t>(out - b.out);
    const bool room_for_block = i + 64 <= b.n && b.out_limit - out >= 64;
    if (keep == ~uint64_t{0} && room_for_block && b.out_ends_limit - out_ends >= 64) {
      // All bytes are kept: probably characters, with too many ends to write one by one.
      std::memcpy(out, b.data + i, 64);
      out += 64;
      write_positions(b.ends[i / 64], base, out_ends);
      out_ends += popcount(b.ends[i / 64]);
      continue;
    }
    if (room_for_block) {
      compress_block(b.data + i, keep, out);
      out += popcount(keep);
    } else {
      complete &= popcount(keep) <= b.out_limit - out;
      for (uint64_t rest = keep; rest && out < b.out_limit; rest &= rest - 1) *out++ = b.data[i + first_bit(rest)];
    }

    uint64_t ends = b.ends[i / 64];
    const int64_t room = b.out_ends_limit - out_ends;
    const int64_t count = std::min<int64_t>(popcount(ends), room);
    complete &= count == popcount(ends);
    // Returns the bytes kept up to and including the lowest end, which it removes: ends ^ (ends - 1) has these bits.
    const auto take_end = [&] {
      const uint64_t up_to_end = ends ^ (ends - 1);
      ends &= ends - 1;
      return keep & up_to_end;
    };
    int64_t j = 0;
    const auto write_some = [&] {
      V::count([&](int) { return take_end(); }, base, out_ends + j);
      j += V::kCounts;
    };
    if (room >= kUsualEnds && count > 0) {
      write_some();
      if (count > kFewEnds) {
        for (int64_t k = kFewEnds; k < kUsualEnds; k += V::kCounts) write_some();
      }
    }
    while (j < count) out_ends[j++] = base + popcount(take_end());
    out_ends += count;
  }
  return {out - b.out, out_ends - b.out_ends, complete};
}

}  // namespace
}  // namespace stringops::simd
