// distance_strip, with a word in each lane of a vector. Lanes work on different columns, because a word waits for the
// one above it in the same column: lane k has word 7 - k, and is k columns ahead of lane 0.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

constexpr int kTernaryA = 0xF0, kTernaryB = 0xCC, kTernaryC = 0xAA;
constexpr int kXorOr = (kTernaryA ^ kTernaryB) | kTernaryC;            // (a ^ b) | c
constexpr int kOrNor = kTernaryA | (~(kTernaryB | kTernaryC) & 0xFF);  // a | ~(b | c)

class StripLanes {
 public:
  StripLanes(const DistanceStrip& strip, const uint16_t* rows, int64_t n, uint8_t* edges)
      : strip_(strip), rows_(rows), n_(n), edges_(edges), up_(reversed(strip.up)), down_(reversed(strip.down)) {}

  void run() {
    const int64_t steps = n_ + kAhead;
    int64_t s = 0;
    for (; s < std::min(kAhead, steps); ++s) take<true>(s);
    for (; s < n_; ++s) take<false>(s);
    for (; s < steps; ++s) take<true>(s);
    V::store(strip_.up, reverse(up_));
    V::store(strip_.down, reverse(down_));
  }

 private:
  static constexpr int64_t kAhead = DistanceStrip::kWords - 1;

  static Vector reverse(Vector x) { return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), x); }
  static Vector reversed(const uint64_t* words) { return reverse(V::load(words)); }

  static Vector above(Vector x, uint64_t first) {
    return _mm512_alignr_epi64(_mm512_castsi128_si512(_mm_cvtsi64_si128(static_cast<int64_t>(first))), x, 1);
  }
  static uint64_t lowest(Vector x) { return static_cast<uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(x))); }

  // Executes step s: lane k takes column s - 7 + k, if there is one.
  template <bool kSome>
  [[gnu::always_inline]] void take(int64_t s) {
    const uint16_t* const columns = rows_ + s - kAhead;
    const auto mask = [&](int64_t k) {
      return static_cast<long long>(strip_.masks[columns[k] * DistanceStrip::kWords + kAhead - k]);
    };
    const Vector masks = _mm512_setr_epi64(mask(0), mask(1), mask(2), mask(3), mask(4), mask(5), mask(6), mask(7));

    // The sign of a lane is the difference that it receives from the lane above it.
    const uint64_t edge = !kSome || s < n_ ? edges_[s] : 0;
    const Vector up_in = above(right_, edge << 63), down_in = above(left_, edge << 62);

    const Vector vertical = _mm512_or_si512(masks, down_);
    const Vector equal = _mm512_or_si512(masks, _mm512_srli_epi64(down_in, 63));
    const Vector sum = _mm512_add_epi64(_mm512_and_si512(equal, up_), up_);
    const Vector horizontal = _mm512_ternarylogic_epi64(sum, up_, equal, kXorOr);
    right_ = _mm512_ternarylogic_epi64(down_, horizontal, up_, kOrNor);
    left_ = _mm512_and_si512(up_, horizontal);
    const Vector up_next = _mm512_shldi_epi64(right_, up_in, 1), down_next = _mm512_shldi_epi64(left_, down_in, 1);
    const Vector up = _mm512_ternarylogic_epi64(down_next, vertical, up_next, kOrNor);
    const Vector down = _mm512_and_si512(up_next, vertical);
    if (kSome) {
      const int64_t first = std::max<int64_t>(kAhead - s, 0), end = std::min<int64_t>(n_ + kAhead - s, 8);
      const auto lanes = static_cast<__mmask8>(low_bits(end) & ~low_bits(first));
      up_ = _mm512_mask_mov_epi64(up_, lanes, up);
      down_ = _mm512_mask_mov_epi64(down_, lanes, down);
    } else {
      up_ = up;
      down_ = down;
    }
    if (!kSome || s >= kAhead) {
      edges_[s - kAhead] = static_cast<uint8_t>(lowest(right_) >> 63 | (lowest(left_) >> 62 & 2));
    }
  }

  const DistanceStrip& strip_;
  const uint16_t* const rows_;
  const int64_t n_;
  uint8_t* const edges_;
  Vector up_, down_;
  Vector right_ = _mm512_setzero_si512(), left_ = _mm512_setzero_si512();  // differences from one column to the next
};

void distance_strip_in_lanes(const DistanceStrip& strip, const uint16_t* rows, int64_t n, uint8_t* edges) {
  StripLanes(strip, rows, n, edges).run();
}

// Counts the set bits of each lane by instructions of the CPU.
struct CountedLanes : PlainLanes<64> {
  template <class Lane>
  [[gnu::always_inline]] static LanesOf<Lane, kBytes> count_bits(LanesOf<Lane, kBytes> x) {
    const auto v = reinterpret_cast<__m512i>(x);
    __m512i counts;
    if constexpr (sizeof(Lane) == 1) counts = _mm512_popcnt_epi8(v);
    if constexpr (sizeof(Lane) == 2) counts = _mm512_popcnt_epi16(v);
    if constexpr (sizeof(Lane) == 4) counts = _mm512_popcnt_epi32(v);
    if constexpr (sizeof(Lane) == 8) counts = _mm512_popcnt_epi64(v);
    return reinterpret_cast<LanesOf<Lane, kBytes>>(counts);
  }
};

}  // namespace
}  // namespace stringops::simd
