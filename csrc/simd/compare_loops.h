// compare_strings by the first 32 bytes of each string. It is unpredictable where strings differ, so the loop over them
// only loads and compares bytes, and all else is done in 32-bit lanes.
//
// Included once by the file of a tier, after its target pragma and its definitions of
//
//   Vector, MM(name), load, store, load_lanes_or, any
//   equal_numbers(x, y)                      all ones in the 32-bit lanes that are equal, else 0
//   compare_32_bytes(x, y, &less, &greater)  bit k: byte k of the 32 at x is less, or greater, than that at y
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
constexpr int64_t kPairs = block_size(64, 16);    // of a block, at most 64
constexpr int64_t kNumbers = sizeof(Vector) / 4;  // in a vector
using PairNumbers = std::array<uint32_t, kPairs>;

// The strings of a block that are on one side.
class ComparedSide {
 public:
  // `run` has at least kCompared bytes.
  explicit ComparedSide(const StringRun& run) : run_(run) {
    for (int64_t k = 0; run.is_broadcast && k < kPairs; k += kNumbers) {
      set(k, number(run.begins[0]), number(run.ends[0]));
    }
  }

  void read(int64_t i, int64_t count) {
    if (run_.is_broadcast) return;
    const int32_t *const begins = run_.begins + i, *const ends = run_.ends + i;
    is_long_ = int64_t{ends[count - 1]} - begins[0] > kLong * count;
    for (int64_t k = 0; k < count; k += kNumbers) {
      set(k, V::load_lanes_or(begins + k, count - k, number(0)), V::load_lanes_or(ends + k, count - k, number(0)));
    }
  }

  bool is_long() const { return is_long_; }
  const uint8_t* bytes(int64_t k) const { return run_.data + positions_[static_cast<size_t>(k)]; }
  Vector sizes(int64_t k) const { return V::load(&sizes_[static_cast<size_t>(k)]); }
  // All ones in the lanes of strings that are within the data, and of which kCompared bytes can be loaded.
  Vector usable(int64_t k) const { return V::load(&usable_[static_cast<size_t>(k)]); }

 private:
  static constexpr int64_t kLong = 16;

  static Vector number(int64_t x) { return MM(set1_epi32)(static_cast<int>(x)); }
  static Vector at_most(Vector x, Vector y) { return V::equal_numbers(MM(min_epu32)(x, y), x); }

  void set(int64_t k, Vector begin, Vector end) {
    const auto at = static_cast<size_t>(k);
    const Vector from = MM(min_epu32)(begin, number(run_.num_bytes - kCompared));
    V::store(&positions_[at], from);
    V::store(&sizes_[at], MM(sub_epi32)(end, begin));
    V::store(&usable_[at], V::equal_numbers(from, begin) & at_most(begin, end) & at_most(end, number(run_.num_bytes)));
  }

  const StringRun& run_;
  bool is_long_ = false;
  PairNumbers positions_, sizes_, usable_;
};

// The processor does not prefetch beyond a page. For short strings, prefetching takes longer than waiting.
template <bool kPrefetches>
void compare_first(const ComparedSide& a, const ComparedSide& b, int64_t count, uint32_t* less, uint32_t* greater) {
  constexpr int64_t kAhead = 3072;
  for (int64_t k = 0; k < count; ++k) {
    const uint8_t *const x = a.bytes(k), *const y = b.bytes(k);
    if (kPrefetches) {
      prefetch(reinterpret_cast<uintptr_t>(x) + kAhead);
      prefetch(reinterpret_cast<uintptr_t>(y) + kAhead);
    }
    V::compare_32_bytes(x, y, less + k, greater + k);
  }
}

// -1, 0 or 1 in the 32-bit lanes in which x is less than, equal to or greater than y.
Vector order_of(Vector x, Vector y) {
  const Vector least = MM(min_epu32)(x, y);
  return MM(sub_epi32)(V::equal_numbers(least, x), V::equal_numbers(least, y));
}

void compare_strings(const StringRun& a, const StringRun& b, int64_t count, int8_t* order) {
  if (std::min(a.num_bytes, b.num_bytes) < kCompared) {
    compare_each(a, b, count, order);
    return;
  }
  const Vector ones = MM(set1_epi32)(-1), most = MM(set1_epi32)(kCompared);
  ComparedSide left(a), right(b);
  PairNumbers less{}, greater{}, orders, open;
  for (int64_t i = 0; i < count; i += kPairs) {
    const int64_t here = std::min(count - i, kPairs);
    left.read(i, here);
    right.read(i, here);
    const bool prefetches = left.is_long() || right.is_long();
    (prefetches ? compare_first<true> : compare_first<false>)(left, right, here, less.data(), greater.data());
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
      // Longer strings of equal prefixes, and those that are not usable, are compared one by one.
      const Vector longer = V::equal_numbers(MM(min_epu32)(shared, most), most);
      const Vector is_open = (same & longer) | ~(left.usable(k) & right.usable(k));
      V::store(&open[at], is_open);
      any_open |= is_open;
    }
    for (int64_t k = 0; k < here; ++k) order[i + k] = static_cast<int8_t>(orders[static_cast<size_t>(k)]);
    if (!V::any(any_open)) continue;
    for (int64_t k = 0; k < here; ++k) {
      if (open[static_cast<size_t>(k)] != 0) order[i + k] = compare_at(a, b, i + k);
    }
  }
}

}  // namespace
}  // namespace stringops::simd
