// compare_strings by the first eight bytes of each string, in vectors.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/byte_order.h"
#include "core/prefetch.h"
#include "core/testing.h"
#include "simd/compare_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// The first bytes of the strings of a block.
class Prefixes {
 public:
  static constexpr int64_t kStrings = block_size(64, 8);

  // `run` has at least kPrefixBytes bytes.
  explicit Prefixes(const StringRun& run) : run_(run), last_(run.num_bytes - kPrefixBytes) {
    if (!run.is_broadcast) return;
    std::fill_n(copies_, kStrings, run.begins[0]);
    std::fill_n(copies_ + kStrings, kStrings, run.ends[0]);
    begins_ = copies_;
    ends_ = copies_ + kStrings;
  }

  // Loads the first bytes of strings i to i + count by a loop of plain loads: gathers take longer, and the processor
  // prefetches what a single instruction reads.
  void load(int64_t i, int64_t count) {
    if (!run_.is_broadcast) {
      begins_ = run_.begins + i;
      ends_ = run_.ends + i;
    }
    const bool is_long = int64_t{ends_[count - 1]} - begins_[0] > kLong * count;
    is_long ? load_each<true>(count) : load_each<false>(count);
  }

  // Strings k to k + 8 of the block, if their bits in `which` are set.
  struct Eight {
    __m512i bytes;  // as numbers whose order is that of the bytes, those after a short string included
    __m256i size;
    __mmask8 usable;  // within the data, and far enough from its end that the right bytes were loaded
  };
  Eight eight(int64_t k, __mmask8 which) const {
    const __m512i reversed =
        _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
    const __m256i last = _mm256_set1_epi32(static_cast<int>(last_));
    const __m256i limit = _mm256_set1_epi32(static_cast<int>(run_.num_bytes));
    const __m256i begin = _mm256_maskz_loadu_epi32(which, begins_ + k);
    const __m256i end = _mm256_maskz_loadu_epi32(which, ends_ + k);
    const __mmask8 ordered = _mm256_mask_cmple_epu32_mask(_mm256_cmple_epu32_mask(begin, end), end, limit);
    return {_mm512_shuffle_epi8(_mm512_loadu_si512(bytes_ + k), reversed), _mm256_sub_epi32(end, begin),
            _mm256_mask_cmple_epu32_mask(ordered, begin, last)};
  }

 private:
  // The processor does not prefetch beyond a page. For short strings, prefetching takes longer than waiting.
  static constexpr int64_t kAhead = 3072, kLong = 16;

  template <bool kPrefetches>
  void load_each(int64_t count) {
    const uint8_t* const data = run_.data;
    const int32_t* const begins = begins_;
    const auto last = static_cast<uint64_t>(last_);
    for (int64_t k = 0; k < count; ++k) {
      // The position is clamped, because offsets may have changed (race).
      uint64_t from = std::min<uint64_t>(static_cast<uint32_t>(begins[k]), last);
      asm("" : "+r"(from));  // prevents vectorization
      if (kPrefetches) prefetch(reinterpret_cast<uintptr_t>(data) + from + kAhead);
      std::memcpy(bytes_ + k, data + from, kPrefixBytes);
    }
  }

  const StringRun& run_;
  const int64_t last_;  // where a load of kPrefixBytes can begin
  const int32_t* begins_;
  const int32_t* ends_;
  int32_t copies_[2 * kStrings];  // copies of the offsets of a string that is broadcast
  uint64_t bytes_[kStrings];
};

// Same as compare_at, by the first byte that differs among the first 64: it is unpredictable where that is, so there is
// no branch but the one for longer equal prefixes.
int8_t compare_long(const StringRun& a, const StringRun& b, int64_t i) {
  const StringView x = string_at(a, i), y = string_at(b, i);
  const int64_t size = std::min(x.size(), y.size());
  const auto load = [&](StringView text) { return _mm512_maskz_loadu_epi8(low_bits(size), text.begin); };
  const Vector p = load(x), q = load(y);
  const uint64_t others = _mm512_cmpneq_epi8_mask(p, q);
  if (__builtin_expect(others == 0 && size > 64, false)) return compare_at(a, b, i);
  const uint64_t first = others & -others;
  const int bytes = (_mm512_cmpgt_epu8_mask(p, q) & first) != 0 ? 1 : -1;
  const int sizes = (x.size() > y.size()) - (x.size() < y.size());
  return static_cast<int8_t>(others != 0 ? bytes : sizes);
}

void compare_strings(const StringRun& a, const StringRun& b, int64_t count, int8_t* order) {
  if (std::min(a.num_bytes, b.num_bytes) < kPrefixBytes) {
    compare_each(a, b, count, order);
    return;
  }
  Prefixes left(a), right(b);
  const __m256i prefix = _mm256_set1_epi32(kPrefixBytes);
  for (int64_t i = 0; i < count; i += Prefixes::kStrings) {
    const int64_t here = std::min(count - i, Prefixes::kStrings);
    left.load(i, here);
    right.load(i, here);
    uint64_t less = 0, greater = 0, open = 0;
    for (int64_t k = 0; k < here; k += 8) {
      const auto which = static_cast<__mmask8>(low_bits(std::min<int64_t>(here - k, 8)));
      const Prefixes::Eight x = left.eight(k, which), y = right.eight(k, which);
      const __m256i shared = _mm256_min_epu32(_mm256_min_epu32(x.size, y.size), prefix);
      const __m512i unshared_bits = _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm256_sub_epi32(prefix, shared)), 3);
      const __m512i first_bytes = _mm512_sllv_epi64(V::wide(~uint64_t{0}), unshared_bits);
      const __m512i p = x.bytes & first_bytes, q = y.bytes & first_bytes;
      const __mmask8 same = _mm512_cmpeq_epi64_mask(p, q);
      const auto at = [k](int mask) { return static_cast<uint64_t>(static_cast<__mmask8>(mask)) << k; };
      less |= at(_mm512_cmplt_epu64_mask(p, q) | _mm256_mask_cmplt_epu32_mask(same, x.size, y.size));
      greater |= at(_mm512_cmpgt_epu64_mask(p, q) | _mm256_mask_cmpgt_epu32_mask(same, x.size, y.size));
      open |= at(_mm256_mask_cmpeq_epu32_mask(same, shared, prefix) | ~(x.usable & y.usable));
    }
    _mm512_mask_storeu_epi8(order + i, low_bits(here),
                            _mm512_or_si512(_mm512_maskz_set1_epi8(greater, 1), _mm512_movm_epi8(less)));
    // Longer strings of equal prefixes, and those that are not usable, are compared one by one.
    for (uint64_t rest = open & low_bits(here); rest; rest &= rest - 1) {
      const int64_t k = i + first_bit(rest);
      order[k] = compare_long(a, b, k);
    }
  }
}

}  // namespace
}  // namespace stringops::simd
