// The keys of words for NEON. The bytes of each word are a vector of their own, since two lanes of 64 bits at a time
// gain little over scalars; homes and second hashes are computed for four words at once.
//
// Included by neon.cpp, after its struct V and kFirst.
#pragma once

#include <algorithm>

#include "core/bits.h"
#include "simd/key_types.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// The lower and the upper halves of four numbers of 64 bits.
struct Halves {
  uint32x4_t low, high;
  Halves(uint32x4_t x, uint32x4_t y) : low(vuzp1q_u32(x, y)), high(vuzp2q_u32(x, y)) {}
  Halves(uint64x2_t x, uint64x2_t y) : Halves(vreinterpretq_u32_u64(x), vreinterpretq_u32_u64(y)) {}
};

inline Halves multiply(uint32x4_t x, uint64_t factor) {
  const auto y = static_cast<uint32_t>(factor);
  return {vmull_n_u32(vget_low_u32(x), y), vmull_high_n_u32(x, y)};
}

// Sizes as bytes, of which those from 255 on are 255, in the order of Bytes64.
inline Bytes64 sizes_of_batch(const uint32_t* sizes) {
  uint32x4x4_t x[4];
  for (size_t i = 0; i < 4; ++i) x[i] = vld4q_u32(sizes + 16 * i);
  Bytes64 bytes;
  for (size_t k = 0; k < kVectors; ++k) {
    const auto shorts = [&](size_t i) { return vqmovn_high_u32(vqmovn_u32(x[i].val[k]), x[i + 1].val[k]); };
    bytes.vectors[k] = vqmovn_high_u16(vqmovn_u16(shorts(0)), shorts(2));
  }
  return bytes;
}

class WordLoader {
 public:
  WordLoader(const uint8_t* data, const uint32_t* begins, const uint32_t* sizes, const WordSeeds& seeds, WordKeys& keys)
      : data_(data), begins_(begins), sizes_(sizes), keys_(keys) {
    for (size_t k = 0; k < 4; ++k) numbers_[k] = vreinterpretq_u32_u64(vld1q_u64(seeds.parts.numbers + 2 * k));
  }

  void load_short(int64_t j) const {
    const uint32_t n = sizes_[j];
    const Vector bytes = V::load(data_ + begins_[j]) & V::load(kFirst + 16 - n);
    const Vector key = vsetq_lane_u8(static_cast<uint8_t>(n), bytes, kInlineBytes);
    vst1q_lane_u64(keys_.low + j, vreinterpretq_u64_u8(key), 0);
    vst1q_lane_u32(keys_.high + j, vreinterpretq_u32_u8(key), 2);
  }

  // Computes the key by make_lane_key.
  void load_long(int64_t j) const {
    const uint8_t* const word = data_ + begins_[j];
    const uint32_t n = std::min(sizes_[j], uint32_t{kLaneBytes});
    const Vector inside = V::load(kFirst + 16 - std::min(n, 16u));
    const uint8_t* const end = word + std::max(n, 16u);
    const Vector head = V::load(word) & inside, last = V::load(end - 16) & inside;
    uint64x2_t sums = add_parts(vdupq_n_u64(0), head, last, 0);
    if (n > 32) sums = add_parts(sums, V::load(word + 16), V::load(end - 32), 2);
    const uint64_t sum = vaddvq_u64(sums);
    keys_.low[j] = sum ^ sum << 32;
    keys_.high[j] = kLongMark | n;
  }

 private:
  uint64x2_t add_parts(uint64x2_t sums, Vector x, Vector y, size_t k) const {
    const Halves parts(vreinterpretq_u32_u8(x) + numbers_[k], vreinterpretq_u32_u8(y) + numbers_[k + 1]);
    sums = vmlal_u32(sums, vget_low_u32(parts.low), vget_low_u32(parts.high));
    return vmlal_high_u32(sums, parts.low, parts.high);
  }

  const uint8_t* const data_;
  const uint32_t *const begins_, *const sizes_;
  WordKeys& keys_;
  uint32x4_t numbers_[4];
};

bool load_word_keys(const uint8_t* data, uint32_t last_begin, const uint32_t* begins, uint32_t* sizes, int64_t n,
                    const WordSeeds& seeds, uint64_t capacity, WordKeys& keys, LongWords* long_words) {
  constexpr int64_t kAll = WordKeys::kMaxWords;
  uint32x4_t last = vdupq_n_u32(last_begin);
  for (int64_t j = 0; j < kAll; j += 4) last = vmaxq_u32(last, vld1q_u32(begins + j));
  if (vmaxvq_u32(last) > last_begin) return false;
  const uint32x4_t end = vdupq_n_u32(last_begin + uint32_t{kKeyBytes});
  for (int64_t j = 0; j < kAll; j += 4) {
    vst1q_u32(sizes + j, vminq_u32(vld1q_u32(sizes + j), end - vld1q_u32(begins + j)));
  }
  const Bytes64 bytes = sizes_of_batch(sizes);
  const auto above = [&](int64_t size) {
    const Vector limit = V::splat(static_cast<uint8_t>(size));
    return V::mask_of(bytes, [&](const Vector& v) { return vcgtq_u8(v, limit); }) & low_bits(n);
  };
  const uint64_t all_long = above(kInlineBytes);
  *long_words = {all_long, above(kMediumBytes), above(kLargeBytes), above(kLaneBytes)};

  const WordLoader loader(data, begins, sizes, seeds, keys);
  for (uint64_t rest = ~all_long & low_bits(n); rest; rest &= rest - 1) loader.load_short(first_bit(rest));
  for (uint64_t rest = all_long; rest; rest &= rest - 1) loader.load_long(first_bit(rest));

  // These are sum_key, home_slot and second_hash of core/word_key.h.
  const auto half = [](uint64_t x) { return vdupq_n_u32(static_cast<uint32_t>(x)); };
  const HashSeed& seed = seeds.seed;
  const uint32x4_t low = half(seed.low), high = half(seed.low >> 32), upper = half(seed.high);
  const auto factor = static_cast<uint32_t>(seed.high >> 32);
  for (int64_t j = 0; j < n; j += 4) {
    const Halves key(vld1q_u64(keys.low + j), vld1q_u64(keys.low + j + 2));
    const uint32x4_t a = key.low + low, b = key.high + high, c = vld1q_u32(keys.high + j) + upper;
    const uint64x2_t first = vmull_u32(vget_low_u32(a), vget_low_u32(b)), second = vmull_high_u32(a, b);
    const Halves sum(vmlal_n_u32(first, vget_low_u32(c), factor), vmlal_high_n_u32(second, c, factor));
    const uint32x4_t home = (sum.low ^ sum.high) * half(kHomeFactor);
    const Halves product = multiply(sum.low, kSecondFactor);
    vst1q_u32(keys.home + j, multiply(home, capacity).high);
    vst1q_u32(keys.second + j, product.low ^ product.high ^ sum.high);
  }
  return true;
}

}  // namespace
}  // namespace stringops::simd
