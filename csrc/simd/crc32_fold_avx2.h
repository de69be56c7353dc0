// crc32 by products without carries, for tiers of x86-64: included once by a file, after the pragma of its target.
//
// The text is a polynomial modulo the one of CRC-32. Its first 16 bytes are replaced by their remainder at the place of
// the next 16, which takes two products, until 16 bytes are left (Gopal et al., "Fast CRC computation for generic
// polynomials using PCLMULQDQ", 2009). Four chains of such products do not wait for each other.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "core/crc32.h"

namespace stringops::simd {
namespace {

constexpr int64_t kFoldBytes = 16, kFolds = 4;

// x**n modulo the polynomial, with the order of bits reversed; shifted, as products of reversed numbers are.
constexpr int64_t crc32_power(int n) {
  uint32_t rest = 0x80000000;
  for (int i = 0; i < n; ++i) rest = crc32_times_x(rest);
  return static_cast<int64_t>(uint64_t{rest} << 1);
}

// The two factors that move a lane over `bytes` bytes.
template <int64_t bytes>
inline __m128i crc32_factors() {
  constexpr int64_t kLow = crc32_power(8 * bytes + 32), kHigh = crc32_power(8 * bytes - 32);
  return _mm_set_epi64x(kHigh, kLow);
}

inline __m128i fold_lane(__m128i lane, __m128i factors, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(lane, factors, 0x00), high = _mm_clmulepi64_si128(lane, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

uint32_t crc32_fold(uint32_t crc, const uint8_t* bytes, int64_t n) {
  if (n < kFolds * kFoldBytes) return update_crc32(crc, bytes, n);
  const auto load = [](const uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); };
  const uint8_t* const end = bytes + n;
  __m128i lanes[kFolds];
  for (int64_t k = 0; k < kFolds; ++k) lanes[k] = load(bytes + kFoldBytes * k);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int32_t>(crc)));
  bytes += kFolds * kFoldBytes;
  const __m128i over_lanes = crc32_factors<kFolds * kFoldBytes>(), over_one = crc32_factors<kFoldBytes>();
  for (; end - bytes >= kFolds * kFoldBytes; bytes += kFolds * kFoldBytes) {
    for (int64_t k = 0; k < kFolds; ++k) lanes[k] = fold_lane(lanes[k], over_lanes, load(bytes + kFoldBytes * k));
  }
  __m128i rest = lanes[0];
  for (int64_t k = 1; k < kFolds; ++k) rest = fold_lane(rest, over_one, lanes[k]);
  for (; end - bytes >= kFoldBytes; bytes += kFoldBytes) rest = fold_lane(rest, over_one, load(bytes));
  uint8_t last[kFoldBytes];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(last), rest);
  return update_crc32(update_crc32(0, last, kFoldBytes), bytes, end - bytes);
}

}  // namespace
}  // namespace stringops::simd
