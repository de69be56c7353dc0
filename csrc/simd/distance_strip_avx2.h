// distance_strip, with a word in each lane of two vectors, as in distance_strip_avx512.h: lane k of the first one has
// word 7 - k, and that of the second one word 3 - k.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

class StripLanes {
 public:
  StripLanes(const DistanceStrip& strip, const uint16_t* rows, int64_t n, uint8_t* edges)
      : strip_(strip), rows_(rows), n_(n), edges_(edges) {
    for (int64_t i = 0; i < kVectors; ++i) {
      const int64_t word = 4 * (kVectors - 1 - i);
      words_[i].up = reverse(V::load(strip.up + word));
      words_[i].down = reverse(V::load(strip.down + word));
      words_[i].right = words_[i].left = _mm256_setzero_si256();
    }
  }

  void run() {
    const int64_t steps = n_ + kAhead;
    int64_t s = 0;
    for (; s < std::min(kAhead, steps); ++s) take<true>(s);
    for (; s < n_; ++s) take<false>(s);
    for (; s < steps; ++s) take<true>(s);
    for (int64_t i = 0; i < kVectors; ++i) {
      const int64_t word = 4 * (kVectors - 1 - i);
      V::store(strip_.up + word, reverse(words_[i].up));
      V::store(strip_.down + word, reverse(words_[i].down));
    }
  }

 private:
  static constexpr int64_t kAhead = DistanceStrip::kWords - 1, kVectors = 2;

  struct WordVectors {
    Vector up, down;
    Vector right, left;  // differences from a column to the next
  };

  static Vector reverse(Vector x) { return _mm256_permute4x64_epi64(x, 0x1B); }

  // Returns the lanes of x after the first one, then the first lane of y.
  static Vector above(Vector x, Vector y) { return _mm256_permute4x64_epi64(_mm256_blend_epi32(x, y, 3), 0x39); }

  // Loads, for each lane k, the row of its column and of its word.
  Vector load_masks(int64_t column, int64_t word) const {
    const auto at = [&](int64_t k) {
      return static_cast<long long>(strip_.masks[rows_[column + k] * DistanceStrip::kWords + word - k]);
    };
    return _mm256_setr_epi64x(at(0), at(1), at(2), at(3));
  }

  // Keeps the words of lanes that have no column.
  static Vector keep(Vector old, Vector next, Vector columns, int64_t n) {
    const Vector has = _mm256_and_si256(_mm256_cmpgt_epi64(_mm256_set1_epi64x(n), columns),
                                        _mm256_cmpgt_epi64(columns, _mm256_set1_epi64x(-1)));
    return _mm256_blendv_epi8(old, next, has);
  }

  template <bool kSome>
  [[gnu::always_inline]] void take_words(WordVectors& w, Vector masks, Vector up_in, Vector down_in, Vector columns) {
    const Vector ones = _mm256_set1_epi64x(-1), up_bit = _mm256_srli_epi64(up_in, 63),
                 down_bit = _mm256_srli_epi64(down_in, 63);
    const Vector vertical = masks | w.down, equal = masks | down_bit;
    const Vector horizontal = (_mm256_add_epi64(equal & w.up, w.up) ^ w.up) | equal;
    w.right = w.down | ((horizontal | w.up) ^ ones);
    w.left = w.up & horizontal;
    const Vector up_next = _mm256_add_epi64(w.right, w.right) | up_bit;
    const Vector down_next = _mm256_add_epi64(w.left, w.left) | down_bit;
    const Vector up = down_next | ((vertical | up_next) ^ ones), down = up_next & vertical;
    w.up = kSome ? keep(w.up, up, columns, n_) : up;
    w.down = kSome ? keep(w.down, down, columns, n_) : down;
  }

  // Executes step s: lane k of vector i takes column s - 7 + 4 i + k, if there is one.
  template <bool kSome>
  [[gnu::always_inline]] void take(int64_t s) {
    const int64_t column = s - kAhead;
    const uint64_t edge = !kSome || s < n_ ? edges_[s] : 0;
    const auto wide = [](uint64_t x) { return _mm_cvtsi64_si128(static_cast<int64_t>(x)); };
    const Vector up_edge = _mm256_castsi128_si256(wide(edge << 63)),
                 down_edge = _mm256_castsi128_si256(wide(edge << 62));
    WordVectors &a = words_[0], &b = words_[1];
    const Vector a_up = above(a.right, b.right), a_down = above(a.left, b.left);
    const Vector b_up = above(b.right, up_edge), b_down = above(b.left, down_edge);
    const Vector lanes = _mm256_setr_epi64x(0, 1, 2, 3);
    take_words<kSome>(a, load_masks(column, 7), a_up, a_down, _mm256_add_epi64(_mm256_set1_epi64x(column), lanes));
    take_words<kSome>(b, load_masks(column + 4, 3), b_up, b_down,
                      _mm256_add_epi64(_mm256_set1_epi64x(column + 4), lanes));
    if (!kSome || s >= kAhead) {
      const auto lowest = [](Half x) { return static_cast<uint64_t>(_mm_cvtsi128_si64(x)); };
      const uint64_t up = lowest(_mm256_castsi256_si128(a.right)), down = lowest(_mm256_castsi256_si128(a.left));
      edges_[column] = static_cast<uint8_t>(up >> 63 | (down >> 62 & 2));
    }
  }

  const DistanceStrip& strip_;
  const uint16_t* const rows_;
  const int64_t n_;
  uint8_t* const edges_;
  WordVectors words_[kVectors];
};

void distance_strip_in_lanes(const DistanceStrip& strip, const uint16_t* rows, int64_t n, uint8_t* edges) {
  StripLanes(strip, rows, n, edges).run();
}

}  // namespace
}  // namespace stringops::simd
