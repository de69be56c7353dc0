// compare_strings by the first 32 bytes of each string. It is unpredictable where strings differ, so the loop over them
// only loads and compares bytes, and all else is done in 32-bit lanes. If most pairs share these bytes, as file paths
// do, the next pairs are compared from the first byte on in steps of 64.
//
// Included once by the file of a tier, after its target pragma and its definitions of
//
//   Vector, MM(name), load, store, load_lanes_or, any, Bytes64, kVectors, load_block, mask_of, not_equal_0
//   equal_numbers(x, y)                      all ones in the 32-bit lanes that are equal, else 0
//   load_32(y)                               32 bytes
//   compare_32_bytes(x, q, &less, &greater)  bit k: byte k of the 32 at x is less, or greater, than that of q
#pragma once

#include <algorithm>
#include <array>

#include "core/bits.h"
#include "core/prefetch.h"
#include "core/testing.h"
#include "simd/compare_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

constexpr int64_t kCompared = 32;                 // first bytes
constexpr int64_t kLoaded = 64;                   // bytes that can be loaded of each string, and are in a step
constexpr int64_t kPairs = block_size(64, 16);    // of a block, at most 64
constexpr int64_t kNumbers = sizeof(Vector) / 4;  // in a vector
using PairNumbers = std::array<uint32_t, kPairs>;

// The strings of a block that are on one side.
class ComparedSide {
 public:
  explicit ComparedSide(const StringRun& run) : run_(run), data_(run.data), last_begin_(run.num_bytes - kLoaded) {
    const StringView text = run.is_broadcast ? string_at(run, 0) : StringView{run.data, run.data + run.num_bytes};
    if (text.size() < kLoaded) {
      std::copy(text.begin, text.end, copy_);
      data_ = copy_;
      last_begin_ = kLoaded;
    }
    for (int64_t k = 0; run.is_broadcast && k < kPairs; k += kNumbers) {
      const auto at = static_cast<size_t>(k);
      V::store(&positions_[at], number(data_ == copy_ ? 0 : text.begin - data_));
      V::store(&sizes_[at], number(text.size()));
      V::store(&usable_[at], number(-1));
    }
  }
  ComparedSide(const ComparedSide&) = delete;
  ComparedSide& operator=(const ComparedSide&) = delete;

  void read(int64_t i, int64_t count) {
    if (run_.is_broadcast) return;
    const int32_t *const begins = run_.begins + i, *const ends = run_.ends + i;
    is_long_ = int64_t{ends[count - 1]} - begins[0] > kLong * count;
    for (int64_t k = 0; k < count; k += kNumbers) {
      set(k, V::load_lanes_or(begins + k, count - k, number(0)), V::load_lanes_or(ends + k, count - k, number(0)));
    }
  }

  bool is_single() const { return run_.is_broadcast; }
  bool is_long() const { return is_long_; }
  const uint8_t* bytes(int64_t k) const { return data_ + positions_[static_cast<size_t>(k)]; }
  Vector sizes(int64_t k) const { return V::load(&sizes_[static_cast<size_t>(k)]); }
  // All ones in the lanes of strings that are within the data, and of which kLoaded bytes can be loaded.
  Vector usable(int64_t k) const { return V::load(&usable_[static_cast<size_t>(k)]); }

 private:
  static constexpr int64_t kLong = 16;

  static Vector number(int64_t x) { return MM(set1_epi32)(static_cast<int>(x)); }
  static Vector at_most(Vector x, Vector y) { return V::equal_numbers(MM(min_epu32)(x, y), x); }

  void set(int64_t k, Vector begin, Vector end) {
    const auto at = static_cast<size_t>(k);
    const Vector from = MM(min_epu32)(begin, number(last_begin_)), size = MM(sub_epi32)(end, begin);
    V::store(&positions_[at], from);
    V::store(&sizes_[at], size);
    // An empty string is usable anywhere, as none of its bytes are compared.
    const Vector loaded = V::equal_numbers(from, begin) | V::equal_numbers(size, number(0));
    V::store(&usable_[at], loaded & at_most(begin, end) & at_most(end, number(run_.num_bytes)));
  }

  const StringRun& run_;
  const uint8_t* data_;  // of the run, or a copy with room after it, so that kLoaded bytes can be loaded
  int64_t last_begin_;   // of as many bytes
  bool is_long_ = false;
  PairNumbers positions_, sizes_, usable_;
  uint8_t copy_[2 * kLoaded] = {};
};

// The processor does not prefetch beyond a page. For short strings, prefetching takes longer than waiting.
inline void prefetch_after(const uint8_t* string, int64_t line) {
  constexpr int64_t kAhead = 3072, kLine = 64;
  prefetch(reinterpret_cast<uintptr_t>(string) + static_cast<uintptr_t>(kAhead + line * kLine));
}

template <bool kPrefetches>
void compare_first(const ComparedSide& a, const ComparedSide& b, int64_t count, uint32_t* less, uint32_t* greater) {
  const auto compare = [&](int64_t k, auto y) {
    const uint8_t* const x = a.bytes(k);
    if (kPrefetches) prefetch_after(x, 0);
    V::compare_32_bytes(x, y, less + k, greater + k);
  };
  if (b.is_single()) {
    const auto y = V::load_32(b.bytes(0));
    for (int64_t k = 0; k < count; ++k) compare(k, y);
    return;
  }
  for (int64_t k = 0; k < count; ++k) {
    const uint8_t* const y = b.bytes(k);
    if (kPrefetches) prefetch_after(y, 0);
    compare(k, V::load_32(y));
  }
}

// -1, 0 or 1 in the 32-bit lanes in which x is less than, equal to or greater than y.
Vector order_of(Vector x, Vector y) {
  const Vector least = MM(min_epu32)(x, y);
  return MM(sub_epi32)(V::equal_numbers(least, x), V::equal_numbers(least, y));
}

// Bit k: byte k of the 64 at x differs from that at y.
uint64_t different_bytes(const uint8_t* x, const uint8_t* y) {
  Bytes64 bytes = V::load_block(x);
  const Bytes64 others = V::load_block(y);
  for (size_t k = 0; k < kVectors; ++k) bytes.vectors[k] ^= others.vectors[k];
  return V::mask_of(bytes, [](const Vector& v) { return V::not_equal_0(v); });
}

// Returns the number of the first bytes, at most `size`, in which x and y are equal; these `from` bytes are. The last
// step overlaps the one before it.
int64_t count_equal(const uint8_t* x, const uint8_t* y, int64_t from, int64_t size) {
  const int64_t last = std::max<int64_t>(size - kLoaded, 0);
  for (; from < size; from += kLoaded) {
    const int64_t at = std::min(from, last);
    const uint64_t different = different_bytes(x + at, y + at) & low_bits(std::min(size, kLoaded));
    if (different != 0) return at + first_bit(different);
  }
  return size;
}

void compare_strings(const StringRun& a, const StringRun& b, int64_t count, int8_t* order) {
  const Vector ones = MM(set1_epi32)(-1);
  ComparedSide left(a), right(b);
  PairNumbers less{}, greater{}, orders, open;
  int64_t compared = kCompared;  // bytes that are compared first: none if most pairs share them
  for (int64_t i = 0; i < count; i += kPairs) {
    const int64_t here = std::min(count - i, kPairs);
    left.read(i, here);
    right.read(i, here);
    if (compared > 0) {
      const bool prefetches = left.is_long() || right.is_long();
      (prefetches ? compare_first<true> : compare_first<false>)(left, right, here, less.data(), greater.data());
    } else {
      less.fill(0);
      greater.fill(0);
    }
    const Vector more = MM(set1_epi32)(static_cast<int>(compared + 1));
    Vector any_open = MM(set1_epi32)(0);
    for (int64_t k = 0; k < here; k += kNumbers) {
      const auto at = static_cast<size_t>(k);
      const Vector x = left.sizes(k), y = right.sizes(k), shared = MM(min_epu32)(x, y);
      const Vector in_both = ~MM(sllv_epi32)(ones, shared);  // shifts by 32 or more give 0
      // All bits before the first one that is set.
      const auto before = [&](Vector bits) { return MM(add_epi32)(bits & in_both, ones) & ~(bits & in_both); };
      const Vector to_less = before(V::load(&less[at])), to_greater = before(V::load(&greater[at]));
      const Vector same = V::equal_numbers(to_less, to_greater);
      V::store(&orders[at], order_of(to_less, to_greater) | (same & order_of(x, y)));
      // The number of bytes to compare of longer strings with equal prefixes; all ones if one is not usable.
      const Vector longer = V::equal_numbers(MM(min_epu32)(shared, more), more);
      const Vector left_open = (same & longer & shared) | ~(left.usable(k) & right.usable(k));
      V::store(&open[at], left_open);
      any_open |= left_open;
    }
    for (int64_t k = 0; k < here; ++k) order[i + k] = static_cast<int8_t>(orders[static_cast<size_t>(k)]);
    int64_t num_same = 0;
    for (int64_t k = 0; V::any(any_open) && k < here; ++k) {
      const int64_t shared = open[static_cast<size_t>(k)];
      if (shared == 0) continue;
      if (shared > kMaxBytes) {
        order[i + k] = compare_at(a, b, i + k);
        continue;
      }
      const uint8_t *const x = left.bytes(k), *const y = right.bytes(k);
      for (const int64_t line : {0, 1}) {
        prefetch_after(x, line);
        if (!right.is_single()) prefetch_after(y, line);
      }
      const int64_t same = count_equal(x, y, compared, shared);
      if (same < shared) order[i + k] = x[same] < y[same] ? -1 : 1;
      num_same += same >= kCompared;
    }
    compared = 2 * num_same > here ? 0 : kCompared;
  }
}

}  // namespace
}  // namespace stringops::simd
