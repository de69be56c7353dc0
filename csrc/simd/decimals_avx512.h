// read_decimals by vectors of eight strings. Each string ends at the end of 32 bytes, so that each byte has the weight
// of its place.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include "core/narrow.h"
#include "simd/decimals.h"

namespace stringops::simd {
namespace {

// Eight strings, each in 32 bytes of four vectors.
struct EightTexts {
  static constexpr size_t kVectors = 4;

  const uint8_t* ends[8];  // the 33 bytes before each end may be read

  Vector load(size_t j, int64_t shift) const {
    const auto half = [&](size_t i) { return V::load_half(ends[i] - 32 - shift); };
    return MM(inserti64x4)(MM(castsi256_si512)(half(2 * j)), half(2 * j + 1), 1);
  }

  // Returns a bit for each byte that test(bytes) selects, as a 32-bit word for each string.
  template <class Test>
  static __m256i masks(const Vector* vectors, Test&& test) {
    return _mm256_set_epi64x(static_cast<int64_t>(test(vectors[3])), static_cast<int64_t>(test(vectors[2])),
                             static_cast<int64_t>(test(vectors[1])), static_cast<int64_t>(test(vectors[0])));
  }
};

// Returns numbers of eight digits each, for four strings: for 16 digits, those of the first 16 bytes of strings 0, 2,
// then those of the last 16, then those of strings 1, 3.
inline Vector sums_of_digits(Vector x, Vector y) {
  const Vector tens = MM(set1_epi16)(10 | 1 << 8), hundreds = MM(set1_epi32)(100 | 1 << 16);
  const Vector fours = MM(packus_epi32)(MM(madd_epi16)(MM(maddubs_epi16)(x, tens), hundreds),
                                        MM(madd_epi16)(MM(maddubs_epi16)(y, tens), hundreds));
  const Vector eights = MM(madd_epi16)(fours, MM(set1_epi32)(10000 | 1 << 16));
  return MM(add_epi64)(MM(mul_epu32)(eights, V::wide(kTenTo8)), MM(srli_epi64)(eights, 32));
}

inline void read_eight(const EightTexts& texts, __m256i sizes, Decimal* out) {
  constexpr size_t kVectors = EightTexts::kVectors;
  const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1);
  Vector values[kVectors];
  for (size_t j = 0; j < kVectors; ++j) values[j] = MM(sub_epi8)(texts.load(j, 0), V::splat('0'));
  const auto equal = [&](uint8_t byte) {
    return EightTexts::masks(values, [&](Vector x) { return V::equal(x, static_cast<uint8_t>(byte - '0')); });
  };
  const __m256i chars = _mm256_sllv_epi32(_mm256_set1_epi32(-1), _mm256_sub_epi32(_mm256_set1_epi32(32), sizes));
  const __m256i digits =
      _mm256_and_si256(chars, EightTexts::masks(values, [](Vector x) { return MM(cmplt_epu8_mask)(x, V::splat(10)); }));
  const __m256i point = _mm256_and_si256(chars, equal('.'));
  const __m256i minus =
      // The sign of the first character.
      _mm256_and_si256(_mm256_andnot_si256(_mm256_slli_epi32(chars, 1), chars), equal('-'));
  const __m256i has_no_point = _mm256_cmpeq_epi32(point, zero);
  // Digits before the point move to the next byte, so that the others follow them.
  const __m256i before = _mm256_andnot_si256(has_no_point, _mm256_xor_si256(point, _mm256_sub_epi32(point, one)));
  const __m256i known = _mm256_or_si256(_mm256_or_si256(digits, point), minus);
  const __m256i second_point = _mm256_and_si256(point, _mm256_sub_epi32(point, one));
  const __m256i wrong = _mm256_or_si256(_mm256_xor_si256(known, chars), second_point);
  __mmask8 is_number = _mm256_testn_epi32_mask(wrong, wrong) & _mm256_test_epi32_mask(digits, digits);

  alignas(32) uint64_t kept[kVectors], moved[kVectors];
  _mm256_store_si256(reinterpret_cast<__m256i*>(kept), _mm256_andnot_si256(before, digits));
  _mm256_store_si256(reinterpret_cast<__m256i*>(moved), _mm256_and_si256(before, _mm256_slli_epi32(digits, 1)));
  for (size_t j = 0; j < kVectors; ++j) {
    values[j] = MM(mask_sub_epi8)(MM(maskz_mov_epi8)(kept[j], values[j]), moved[j], texts.load(j, 1), V::splat('0'));
  }
  const Vector x = sums_of_digits(values[0], values[1]), y = sums_of_digits(values[2], values[3]);
  const Vector first = MM(permutex2var_epi64)(x, MM(setr_epi64)(0, 4, 1, 5, 8, 12, 9, 13), y);
  const Vector last = MM(permutex2var_epi64)(x, MM(setr_epi64)(2, 6, 3, 7, 10, 14, 11, 15), y);
  is_number &= MM(cmple_epu64_mask)(first, V::wide(999));  // numbers of up to 19 digits
  const Vector number = MM(maskz_add_epi64)(is_number, MM(mullo_epi64)(first, V::wide(kTenTo16)), last);
  const __m256i decimals = _mm256_popcnt_epi32(_mm256_andnot_si256(before, _mm256_set1_epi32(-1)));
  __m256i form = _mm256_andnot_si256(has_no_point, _mm256_or_si256(decimals, _mm256_set1_epi32(Decimal::kPoint)));
  form = _mm256_mask_or_epi32(form, _mm256_test_epi32_mask(minus, minus), form, _mm256_set1_epi32(Decimal::kMinus));
  form = _mm256_mask_mov_epi32(_mm256_set1_epi32(Decimal::kOther), is_number, form);
  const Vector forms = MM(cvtepu32_epi64)(form);
  static_assert(sizeof(Decimal) == 16);
  V::store(out, MM(permutex2var_epi64)(number, MM(setr_epi64)(0, 8, 1, 9, 2, 10, 3, 11), forms));
  V::store(out + 4, MM(permutex2var_epi64)(number, MM(setr_epi64)(4, 12, 5, 13, 6, 14, 7, 15), forms));
}

void read_decimals(const StringRun& strings, int64_t count, Decimal* out) {
  constexpr int64_t kMinEnd = 33;
  int64_t i = 0;
  for (; i + 8 <= count && strings.num_bytes >= kMinEnd; i += 8) {
    const __m256i begins = V::load_half(strings.begins + i), ends = V::load_half(strings.ends + i);
    const __m256i sizes = _mm256_sub_epi32(ends, begins);
    // Sizes from 1 to 32 do not overflow, as begins are not negative.
    const __mmask8 in_vectors =
        _mm256_cmplt_epu32_mask(_mm256_sub_epi32(sizes, _mm256_set1_epi32(1)), _mm256_set1_epi32(Decimal::kMaxChars)) &
        _mm256_cmpge_epi32_mask(begins, _mm256_setzero_si256()) &
        _mm256_cmpge_epi32_mask(ends, _mm256_set1_epi32(kMinEnd)) &
        _mm256_cmple_epi32_mask(ends, _mm256_set1_epi32(narrow<int32_t>(strings.num_bytes)));
    alignas(32) int32_t positions[8];
    const __m256i min_end = _mm256_set1_epi32(kMinEnd);
    _mm256_store_si256(reinterpret_cast<__m256i*>(positions), _mm256_mask_mov_epi32(min_end, in_vectors, ends));
    EightTexts texts;
    for (size_t k = 0; k < 8; ++k) texts.ends[k] = strings.data + positions[k];
    if (in_vectors != 0) read_eight(texts, sizes, out + i);
    for (uint32_t others = static_cast<uint8_t>(~in_vectors); others != 0; others &= others - 1) {
      const int64_t k = i + __builtin_ctz(others);
      out[k] = read_decimal(decimal_at(strings, k));
    }
  }
  for (; i < count; ++i) out[i] = read_decimal(decimal_at(strings, i));
}

}  // namespace
}  // namespace stringops::simd
