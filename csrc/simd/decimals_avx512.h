// read_decimals by vectors whose last byte is the last one of a number, so that each byte has the weight of its place.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include "simd/decimals.h"

namespace stringops::simd {
namespace {

// A string of at most 32 characters that ends at `end`, of which the 33 bytes before may be read.
inline Decimal read_vector(const uint8_t* end, uint32_t size) {
  const auto chars = static_cast<uint32_t>(uint64_t{0xFFFFFFFF} << (32 - size));
  const __m256i zero = _mm256_set1_epi8('0');
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(end - 32));
  const __m256i values = _mm256_sub_epi8(bytes, zero);
  const uint32_t digits = _mm256_cmplt_epu8_mask(values, _mm256_set1_epi8(10)) & chars;
  const uint32_t point = _mm256_cmpeq_epi8_mask(bytes, _mm256_set1_epi8('.')) & chars;
  const uint32_t minus = static_cast<uint32_t>(end[-static_cast<int64_t>(size)] == '-') << (-size & 31) & chars;
  const uint32_t has_point = point != 0;
  // Digits before the point move to the next byte, so that the others follow them.
  const uint32_t before = (point ^ (point - 1)) & -has_point;
  __m256i x = _mm256_maskz_mov_epi8(digits & ~before, values);
  x = _mm256_mask_sub_epi8(x, digits << 1 & before, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(end - 33)),
                           zero);
  // Sums of 2, 4 and 8 digits.
  x = _mm256_maddubs_epi16(x, _mm256_set1_epi16(10 | 1 << 8));
  x = _mm256_madd_epi16(x, _mm256_set1_epi32(100 | 1 << 16));
  x = _mm256_packus_epi32(x, x);
  x = _mm256_madd_epi16(x, _mm256_set1_epi32(10000 | 1 << 16));
  const auto first = static_cast<uint64_t>(_mm256_extract_epi64(x, 0));
  const auto last = static_cast<uint64_t>(_mm256_extract_epi64(x, 2));
  // The upper eight of the first 16 digits are zeros, and the lower at most three digits.
  const uint64_t wrong = static_cast<uint32_t>(first) | ((digits | point | minus) ^ chars) | (point & (point - 1)) |
                         static_cast<uint32_t>(digits == 0) | static_cast<uint32_t>(first >> 32 > 999);
  const uint64_t number = (first >> 32) * kTenTo16 + static_cast<uint32_t>(last) * kTenTo8 + (last >> 32);
  const uint32_t decimals = static_cast<uint32_t>(__builtin_popcount(~before)) & -has_point;
  const uint32_t form = decimals | has_point * Decimal::kPoint | static_cast<uint32_t>(minus != 0) * Decimal::kMinus;
  if (wrong != 0) return {0, Decimal::kOther};
  return {number, static_cast<uint8_t>(form)};
}

void read_decimals(const StringRun& strings, int64_t count, Decimal* out) {
  for (int64_t i = 0; i < count; ++i) {
    const DecimalText text = decimal_at(strings, i);
    const uint8_t* const end = text.begin + text.size;
    if (is_short(strings, text)) {
      out[i] = read_short_decimal(text);
    } else if (text.size > 0 && text.size <= Decimal::kMaxChars && end - strings.data > 32) {
      out[i] = read_vector(end, static_cast<uint32_t>(text.size));
    } else {
      out[i] = read_decimal(text);
    }
  }
}

}  // namespace
}  // namespace stringops::simd
