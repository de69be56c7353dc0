// Primitives in plain C++. Every tier compiles them for itself, so that the compiler uses the tier's vectors.
// simd/primitives.h specifies them. No step depends on the one before, so that the loops are vectorized.
//
// Included once by the file of a tier, after its target pragma.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// Returns the bits of words[w], each shifted to the byte before; the last one comes from the next word.
inline uint64_t down(const uint64_t* words, int64_t w) {
  return words[w] >> 1 | words[w + 1] << 63;
}

int64_t count_bits(const uint64_t* words, int64_t count) {
  int64_t bits = 0;
  for (int64_t w = 0; w < count; ++w) bits += popcount(words[w]);
  return bits;
}

// Whole words are counted first, so that no loop depends on the positions. words[count] does not exist, hence the
// clamped index; its mask is empty.
void count_before(const uint64_t* words, int64_t count, const int32_t* positions, int64_t num_positions,
                  int32_t* prefix, int32_t* counts) {
  int32_t bits = 0;
  for (int64_t w = 0; w < count; ++w) {
    prefix[w] = bits;
    bits += popcount(words[w]);
  }
  prefix[count] = bits;
  for (int64_t k = 0; k < num_positions; ++k) {
    const auto position = static_cast<uint32_t>(positions[k]);
    const int64_t w = position / 64;
    const uint64_t word = words[w < count ? w : 0];
    counts[k] = prefix[w] + popcount(word & ~(~uint64_t{0} << (position % 64)));
  }
}

void end_words(const uint64_t* __restrict separators, const uint64_t* __restrict row_starts, int64_t count,
               uint64_t* __restrict kept, uint64_t* __restrict ends) {
  for (int64_t w = 0; w < count; ++w) {
    const uint64_t here = separators[w] | row_starts[w], next = separators[w + 1] | row_starts[w + 1];
    kept[w] = ~separators[w];
    ends[w] = ~separators[w] & (here >> 1 | next << 63);
  }
}

bool end_fields(const uint64_t* __restrict delimiters, const uint64_t* __restrict covered,
                const uint64_t* __restrict row_starts, int64_t count, uint64_t* __restrict kept,
                uint64_t* __restrict ends) {
  uint64_t clashes = delimiters[0] & down(row_starts, 0) & 1;
  for (int64_t w = 0; w < count; ++w) {
    const uint64_t lasts = down(row_starts, w);
    const uint64_t moved = (delimiters[w] & lasts) >> 1 | (delimiters[w + 1] & down(row_starts, w + 1)) << 63;
    clashes |= moved & (delimiters[w] | lasts);
    kept[w] = ~covered[w];
    ends[w] = delimiters[w] | lasts | moved;
  }
  return clashes == 0;
}

// Within a word, runs of a set are filled from the right by doubled steps; across words, one after the other.
void fill_runs(const uint64_t* __restrict set, const uint64_t* __restrict row_starts, int64_t count,
               uint64_t* __restrict out) {
  for (int64_t w = 0; w < count; ++w) {
    uint64_t bits = out[w], run = set[w] & ~down(row_starts, w);
    bits |= run & bits >> 1, run &= run >> 1;  // not a loop, which would not be vectorized
    bits |= run & bits >> 2, run &= run >> 2;
    bits |= run & bits >> 4, run &= run >> 4;
    bits |= run & bits >> 8, run &= run >> 8;
    bits |= run & bits >> 16, run &= run >> 16;
    out[w] = bits | (run & bits >> 32);
  }
  for (int64_t w = count - 1; w-- > 0;) {
    const uint64_t others = ~set[w] | down(row_starts, w);
    if ((out[w + 1] & 1) == 0 || others >> 63 != 0) continue;
    out[w] |= others == 0 ? ~uint64_t{0} : ~low_bits(last_bit(others) + 1);
  }
}

bool find_ways(const uint64_t* __restrict set, const uint64_t* const* next, int64_t num_next,
               const uint64_t* __restrict ends, bool loops, const uint64_t* __restrict row_starts, int64_t count,
               uint64_t* __restrict out) {
  std::fill_n(out, count + 1, 0);
  for (int64_t k = 0; k < num_next; ++k) {
    const uint64_t* __restrict follows = next[k];
    for (int64_t w = 0; w < count; ++w) out[w] |= down(follows, w);
  }
  uint64_t any = 0;
  for (int64_t w = 0; w < count; ++w) {
    out[w] = set[w] & ((out[w] & ~down(row_starts, w)) | (ends ? ends[w] : 0));
    any |= out[w];
  }
  if (any != 0 && loops) fill_runs(set, row_starts, count, out);
  return any != 0;
}

void follow_ways(const uint64_t* __restrict ways, const uint64_t* begins, const uint64_t* const* before,
                 int64_t num_before, bool loops, const uint64_t* __restrict row_starts, int64_t count,
                 uint64_t* __restrict entered, uint64_t* __restrict out) {
  for (int64_t w = 0; w < count; ++w) out[w] = begins ? ways[w] & begins[w] : 0;
  for (int64_t k = 0; k < num_before; ++k) {
    const uint64_t* __restrict previous = before[k];
    const auto enter = [&](int64_t w, uint64_t from) {
      const uint64_t next = (previous[w] << 1 | from) & ways[w] & ~row_starts[w];
      entered[w] |= next;
      out[w] |= next;
    };
    enter(0, 0);
    for (int64_t w = 1; w < count; ++w) enter(w, previous[w - 1] >> 63);
  }
  if (!loops) return;
  // A carry goes from each byte to the end of its run.
  uint64_t carry = 0, last = 0;
  for (int64_t w = 0; w < count; ++w) {
    const uint64_t run = ways[w] & ~row_starts[w], next = (out[w] << 1 | last) & run;
    last = out[w] >> 63;
    const uint64_t reached = ((add_with_carry(run, next, &carry) ^ run) | next) & run;
    entered[w] |= reached;
    out[w] |= reached;
  }
}

// There is no search for the first offset beyond: a block's strings are a small part of the offsets, and a search waits
// for memory at each of its steps.
TakenOffsets take_offsets(const int32_t* __restrict offsets, int64_t count, int32_t low, int32_t high, int32_t origin,
                          int32_t* __restrict out) {
  constexpr int64_t kStep = 64;
  int64_t taken = 0;
  for (int64_t i = 0; i < count && taken == i; i += kStep) {
    const int64_t end = std::min(i + kStep, count);
    int32_t within = 0;
    for (int64_t k = i; k < end; ++k) {
      const int32_t offset = offsets[k];  // read once
      out[k] = std::min(std::max(offset, low), high) - origin;
      within += offset <= high ? 1 : 0;
    }
    taken += within;
  }
  int32_t decreasing = 0;  // the loop has no exit, so that it is vectorized
  for (int64_t k = 1; k < taken; ++k) decreasing |= out[k] < out[k - 1] ? -1 : 0;
  return {taken, decreasing == 0};
}

bool ascend(const int32_t* offsets, int64_t count) {
  constexpr int64_t kBlock = 1024;  // a loop without an exit is vectorized; an exit between blocks suffices
  for (int64_t i = 1; i < count; i += kBlock) {
    const int64_t end = std::min(i + kBlock, count);
    int32_t decreasing = 0;
    for (int64_t k = i; k < end; ++k) decreasing |= offsets[k] < offsets[k - 1] ? -1 : 0;
    if (decreasing != 0) return false;
  }
  return true;
}

bool shift_offsets(const int32_t* __restrict offsets, int64_t count, int32_t shift, int32_t* __restrict out) {
  constexpr int64_t kBlock = 1024;  // the block is in the L1 cache when it is compared
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t end = std::min(i + kBlock, count);
    for (int64_t k = i; k < end; ++k) {
      out[k] = static_cast<int32_t>(static_cast<uint32_t>(offsets[k]) + static_cast<uint32_t>(shift));
    }
    int32_t decreasing = 0;  // the loop has no exit, so that it is vectorized
    for (int64_t k = std::max<int64_t>(i, 1); k < end; ++k) decreasing |= out[k] < out[k - 1] ? -1 : 0;
    if (decreasing != 0) return false;
  }
  return true;
}

// Sums halves of the sizes of strings, so that lanes of 32 bits hold the sums of a block, even if strings overlap, as
// those of malformed offsets do.
struct SizeSum {
  static constexpr int64_t kBlock = 1024;
  uint32_t low = 0, high = 0;

  void add(uint32_t size) {
    low += size & 0xFFFF;
    high += size >> 16;
  }
  int64_t total() const { return int64_t{low} + (int64_t{high} << 16); }
};

// string(i, &from, &to, &limit) returns all ones if string i is selected, else 0.
template <class String>
[[gnu::always_inline]] inline MaskedSum sum_strings(int64_t n, String&& string) {
  MaskedSum sum;
  for (int64_t i = 0; i < n; i += SizeSum::kBlock) {
    const int64_t end = std::min(i + SizeSum::kBlock, n);
    SizeSum sizes;
    uint32_t strings = 0;
    int32_t invalid = 0;  // the loop has no exit, so that it is vectorized
    for (int64_t k = i; k < end; ++k) {
      int32_t from, to, limit;
      const uint32_t taken = string(k, &from, &to, &limit);
      sizes.add((static_cast<uint32_t>(to) - static_cast<uint32_t>(from)) & taken);
      invalid |= (from | (to < from ? -1 : 0) | (to > limit ? -1 : 0)) & static_cast<int32_t>(taken);
      strings -= taken;
    }
    sum.strings += strings;
    sum.bytes += sizes.total();
    sum.valid &= invalid >= 0;
  }
  return sum;
}

MaskedSum sum_masked(const LimitedOffsets& strings, const uint8_t* mask, int64_t n) {
  const auto [offsets, most] = strings;
  return sum_strings(n, [offsets = offsets, most = most, mask](int64_t k, int32_t* from, int32_t* to, int32_t* limit) {
    *from = offsets[k];
    *to = offsets[k + 1];
    *limit = most;
    return mask[k] != 0 ? ~uint32_t{0} : 0;
  });
}

MaskedSum sum_chosen(const LimitedOffsets& first, const LimitedOffsets& second, const uint8_t* mask, int64_t n) {
  return sum_strings(n, [x = first, y = second, mask](int64_t k, int32_t* from, int32_t* to, int32_t* limit) {
    // Both are read, and combined by bits, because compilers make a branch of `?:` in the scalar tier.
    const int32_t chosen = mask[k] != 0 ? -1 : 0;
    const auto choose = [chosen](int32_t a, int32_t b) { return (a & chosen) | (b & ~chosen); };
    *from = choose(x.offsets[k], y.offsets[k]);
    *to = choose(x.offsets[k + 1], y.offsets[k + 1]);
    *limit = choose(x.limit, y.limit);
    return ~uint32_t{0};
  });
}

RangesSummary summarize_ranges(const int32_t* begins, const int32_t* ends, int64_t n) {
  RangesSummary all;
  int32_t last_end = 0, invalid = 0;
  uint32_t longest = 0;
  for (int64_t i = 0; i < n; i += SizeSum::kBlock) {
    const int64_t end = std::min(i + SizeSum::kBlock, n);
    SizeSum sizes;
    for (int64_t k = i; k < end; ++k) {
      const int32_t from = begins[k], to = ends[k];
      const uint32_t size = static_cast<uint32_t>(to) - static_cast<uint32_t>(from);
      invalid |= from | (to < from ? -1 : 0);
      longest = std::max(longest, size);
      last_end = std::max(last_end, to);
      sizes.add(size);
    }
    all.bytes += sizes.total();
  }
  all.longest = longest;
  all.last_end = last_end;
  all.valid = invalid >= 0;
  return all;
}

void widen(const int32_t* __restrict numbers, int64_t count, int64_t base, int64_t* __restrict out) {
  for (int64_t k = 0; k < count; ++k) out[k] = base + numbers[k];
}

int64_t widen_differences(const int32_t* __restrict numbers, int64_t count, int64_t* __restrict out) {
  if (count == 0) return 0;
  int32_t greatest = numbers[0];
  out[0] = greatest;
  for (int64_t k = 1; k < count; ++k) {
    const auto difference =
        static_cast<int32_t>(static_cast<uint32_t>(numbers[k]) - static_cast<uint32_t>(numbers[k - 1]));
    out[k] = difference;
    greatest = std::max(greatest, difference);
  }
  return greatest;
}

void use_mask_words(Primitives& t) {
  t.end_words = end_words;
  t.end_fields = end_fields;
  t.find_ways = find_ways;
  t.follow_ways = follow_ways;
  t.take_offsets = take_offsets;
  t.ascend = ascend;
  t.shift_offsets = shift_offsets;
  t.sum_masked = sum_masked;
  t.sum_chosen = sum_chosen;
  t.summarize_ranges = summarize_ranges;
  t.widen = widen;
  t.widen_differences = widen_differences;
  t.count_bits = count_bits;
  t.count_before = count_before;
}

}  // namespace
}  // namespace stringops::simd
