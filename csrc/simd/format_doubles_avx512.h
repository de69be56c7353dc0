// format_doubles by vectors: the shortest decimals of eight numbers at once (core/shortest_decimal.h), in steps that
// take no branches, then each text by one shuffle of its digits.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include <array>
#include <cstring>

#include "core/decimal_digits.h"
#include "core/format_number.h"
#include "core/powers_of_ten.h"

namespace stringops::simd {
namespace {

// The layout of a number that is written without an exponent, made of 32 bytes: 16 digits, then those of kRestChars.
struct DoubleLayout {
  static constexpr int kMinExponent = -4, kMaxExponent = 15;
  static constexpr int kZero = 16, kPoint = 17, kFirst = 18;  // positions of bytes that are not among the digits
  // There is a layout for each exponent and 16 or 17 digits; after these come numbers with an exponent, and others.
  static constexpr int kExponent = 2 * (kMaxExponent - kMinExponent + 1), kOther = kExponent + 1;

  alignas(64) uint8_t bytes[32];
  uint8_t before_digits;  // number of the 16 digits, with a first one before them
  uint8_t min_size;       // a digit follows the point
};

constexpr std::array<DoubleLayout, DoubleLayout::kExponent> make_double_layouts() {
  std::array<DoubleLayout, DoubleLayout::kExponent> layouts{};
  for (int i = 0; i < DoubleLayout::kExponent; ++i) {
    auto& layout = layouts[static_cast<size_t>(i)];
    const int exponent = i / 2 + DoubleLayout::kMinExponent, has_first = i % 2;
    const int zeros = exponent < 0 ? -exponent : 0, whole = exponent < 0 ? 0 : exponent;
    for (int at = 0; at < 32; ++at) {
      const int digit = at - zeros - (at > whole);
      int byte = DoubleLayout::kZero;
      if (at == whole + 1) {
        byte = DoubleLayout::kPoint;
      } else if (digit >= 0 && digit < 16 + has_first) {
        byte = digit < has_first ? DoubleLayout::kFirst : digit - has_first;
      }
      layout.bytes[at] = static_cast<uint8_t>(byte);
    }
    layout.before_digits = static_cast<uint8_t>(zeros + 1 + has_first);
    layout.min_size = static_cast<uint8_t>(whole + zeros + 3 - (zeros > 0));
  }
  return layouts;
}

constexpr auto kDoubleLayouts = make_double_layouts();

// The digits of eight numbers.
struct EightDoubles {
  alignas(64) uint8_t digits[8][16];  // as characters
  uint8_t first[8];                   // the first one of 17 digits
  uint8_t layout[8];
  uint8_t minus[8];
  int16_t exponent[8];  // exponent of the first digit
};

// Returns the eight digits of numbers below 10**8 as characters, like eight_digits_of.
inline Vector eight_chars_of(Vector number) {
  const Vector thousands = MM(srli_epi64)(MM(mul_epu32)(number, V::wide(0xD1B71759)), 45);
  const Vector fours =
      MM(add_epi64)(thousands, MM(slli_epi64)(MM(sub_epi64)(number, MM(mul_epu32)(thousands, V::wide(10000))), 32));
  const Vector hundreds = MM(srli_epi16)(MM(mulhi_epu16)(fours, MM(set1_epi16)(5243)), 3);
  const Vector twos =
      MM(add_epi64)(hundreds, MM(slli_epi64)(MM(sub_epi16)(fours, MM(mullo_epi16)(hundreds, MM(set1_epi16)(100))), 16));
  const Vector tens = MM(mulhi_epu16)(twos, MM(set1_epi16)(6554));
  const Vector ones = MM(sub_epi16)(twos, MM(mullo_epi16)(tens, MM(set1_epi16)(10)));
  return MM(or_si512)(MM(or_si512)(tens, MM(slli_epi64)(ones, 8)), V::wide(kZeroChars));
}

inline void store_bytes(uint8_t* out, Vector lanes) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), MM(cvtepi64_epi8)(lanes));
}

inline void find_digits(const double* values, EightDoubles& out) {
  constexpr uint64_t kFraction = (uint64_t{1} << 52) - 1, kLow = 0xFFFFFFFF;
  const Vector bits = V::load(values);
  const Vector fraction = MM(and_si512)(bits, V::wide(kFraction));
  const Vector biased = MM(and_si512)(MM(srli_epi64)(bits, 52), V::wide(0x7FF));
  const __mmask8 not_zero = MM(test_epi64_mask)(bits, V::wide(~uint64_t{0} >> 1));
  const __mmask8 power_of_two = MM(testn_epi64_mask)(fraction, fraction);
  // A number is infinite, not a number, or subnormal if biased - 1 is 2046 or more.
  unsigned other = MM(cmpge_epu64_mask)(MM(sub_epi64)(biased, V::wide(1)), V::wide(2046)) & not_zero;
  const Vector significand = MM(maskz_or_epi64)(not_zero, fraction, V::wide(kFraction + 1));

  const Vector exponent = MM(sub_epi64)(biased, V::wide(1075));
  const Vector power = MM(srai_epi64)(MM(mul_epi32)(exponent, V::wide(1262611)), 22);
  const Vector scale_power = MM(sub_epi64)(MM(setzero_si512)(), power);
  const Vector shift = MM(add_epi64)(MM(add_epi64)(exponent, V::wide(1)),
                                     MM(srai_epi64)(MM(mul_epi32)(scale_power, V::wide(1741647)), 19));
  const Vector index = MM(slli_epi64)(MM(sub_epi64)(scale_power, V::wide(static_cast<uint64_t>(kLeastPower))), 1);
  const Vector high = MM(i64gather_epi64)(index, &kPowersOfTen.of[0].high, 8);
  const Vector low = MM(i64gather_epi64)(index, &kPowersOfTen.of[0].low, 8);

  // The unit is 10**power: of the integer part, and of 32 bits of the fraction, which differ from the exact ones by
  // less than eight of their units, because less than 2**32 of a product is left out.
  const Vector scaled = MM(sllv_epi64)(significand, shift), scaled1 = MM(srli_epi64)(scaled, 32);
  const Vector high1 = MM(srli_epi64)(high, 32), low1 = MM(srli_epi64)(low, 32);
  const Vector p00 = MM(mul_epu32)(scaled, high), p01 = MM(mul_epu32)(scaled, high1);
  const Vector p10 = MM(mul_epu32)(scaled1, high), p11 = MM(mul_epu32)(scaled1, high1);
  const Vector rest_of_low = MM(srli_epi64)(MM(mul_epu32)(scaled1, low1), 32);
  const Vector lower_half = V::wide(kLow);
  const Vector middle = MM(add_epi64)(MM(add_epi64)(MM(srli_epi64)(p00, 32), rest_of_low),
                                      MM(add_epi64)(MM(and_si512)(p01, lower_half), MM(and_si512)(p10, lower_half)));
  const Vector below = MM(add_epi64)(MM(add_epi64)(p11, MM(srli_epi64)(middle, 32)),
                                     MM(add_epi64)(MM(srli_epi64)(p01, 32), MM(srli_epi64)(p10, 32)));
  const Vector after = MM(and_si512)(middle, lower_half);
  const Vector half = MM(srlv_epi64)(high, MM(sub_epi64)(V::wide(33), shift));  // half of the distance of floats

  // The number is divided into its last eight digits and those before them. The factor is rounded so far down that the
  // quotient is the right one or one less.
  const Vector ten_to_8 = V::wide(kTenTo8);
  constexpr double kFactor = 1e-8 * (1 - 1e-14);
  Vector upper = MM(cvttpd_epu64)(MM(mul_pd)(MM(cvtepu64_pd)(below), MM(set1_pd)(kFactor)));
  Vector lower = MM(sub_epi64)(below, MM(mul_epu32)(upper, ten_to_8));
  const __mmask8 is_less = MM(cmpge_epu64_mask)(lower, ten_to_8);
  upper = MM(mask_add_epi64)(upper, is_less, upper, V::wide(1));
  lower = MM(mask_sub_epi64)(lower, is_less, lower, ten_to_8);

  // The result is the closest multiple of ten, if it is rounded to the float, else that of one. Numbers that are not
  // clearly on one side are decided exactly elsewhere.
  const Vector tenth = MM(srli_epi64)(MM(mul_epu32)(lower, V::wide(0xCCCCCCCD)), 35);
  const Vector tens = MM(mul_epu32)(tenth, V::wide(10));
  const Vector digit = MM(sub_epi64)(lower, tens);
  const Vector rest = MM(or_si512)(MM(slli_epi64)(digit, 32), after);
  const Vector to_ten = MM(sub_epi64)(V::wide(uint64_t{10} << 32), rest);
  const auto is_close = [](Vector a, Vector b) {
    constexpr uint64_t kSlack = 8;
    return MM(cmple_epu64_mask)(MM(add_epi64)(MM(sub_epi64)(a, b), V::wide(kSlack)), V::wide(2 * kSlack));
  };
  const Vector one_half = V::wide(uint64_t{1} << 31);
  other |= is_close(rest, half) | is_close(to_ten, half) | is_close(after, one_half);
  // The numbers below a power of two are half as far away.
  other |= MM(mask_cmpge_epu64_mask)(power_of_two, MM(add_epi64)(rest, V::wide(8)), MM(srli_epi64)(half, 1)) & not_zero;
  const __mmask8 is_ten = MM(cmplt_epu64_mask)(rest, half), is_next_ten = MM(cmplt_epu64_mask)(to_ten, half);
  const __mmask8 rounds_up = MM(cmpge_epu64_mask)(after, one_half);
  lower = MM(mask_add_epi64)(lower, rounds_up, lower, V::wide(1));
  lower = MM(mask_mov_epi64)(lower, is_ten, tens);
  lower = MM(mask_add_epi64)(lower, is_next_ten, tens, V::wide(10));
  const __mmask8 carries = MM(cmpeq_epi64_mask)(lower, ten_to_8);
  upper = MM(mask_add_epi64)(upper, carries, upper, V::wide(1));
  lower = MM(mask_mov_epi64)(lower, carries, MM(setzero_si512)());

  const Vector first = MM(srli_epi64)(MM(mul_epu32)(upper, V::wide(2882303762)), 58);  // upper / 10**8
  const __mmask8 has_first = MM(cmpge_epu64_mask)(upper, ten_to_8);
  const Vector upper_chars = eight_chars_of(MM(sub_epi64)(upper, MM(mul_epu32)(first, ten_to_8)));
  const Vector lower_chars = eight_chars_of(lower);
  V::store(out.digits, MM(permutex2var_epi64)(upper_chars, MM(setr_epi64)(0, 8, 1, 9, 2, 10, 3, 11), lower_chars));
  V::store(out.digits[4], MM(permutex2var_epi64)(upper_chars, MM(setr_epi64)(4, 12, 5, 13, 6, 14, 7, 15), lower_chars));
  store_bytes(out.first, MM(or_si512)(first, V::wide('0')));
  store_bytes(out.minus, MM(srli_epi64)(bits, 63));
  Vector first_exponent = MM(add_epi64)(power, V::wide(15));
  first_exponent = MM(mask_add_epi64)(first_exponent, has_first, first_exponent, V::wide(1));
  first_exponent = MM(maskz_mov_epi64)(not_zero, first_exponent);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out.exponent), MM(cvtepi64_epi16)(first_exponent));
  Vector layout = MM(slli_epi64)(MM(sub_epi64)(first_exponent, MM(set1_epi64)(DoubleLayout::kMinExponent)), 1);
  layout = MM(mask_add_epi64)(layout, has_first, layout, V::wide(1));
  layout = MM(min_epu64)(layout, V::wide(DoubleLayout::kExponent));
  layout = MM(mask_mov_epi64)(layout, static_cast<__mmask8>(other), V::wide(DoubleLayout::kOther));
  store_bytes(out.layout, layout);
}

// Writes a number of the layout, of which 32 bytes may be overwritten. Returns its end.
inline char* write_layout(const DoubleLayout& layout, const EightDoubles& numbers, int64_t k, char* out) {
  const __m128i digits = _mm_load_si128(reinterpret_cast<const __m128i*>(numbers.digits[k]));
  const __m128i others = _mm_insert_epi8(_mm_cvtsi32_si128('0' | '.' << 8), numbers.first[k], 2);
  const __m256i chars = _mm256_permutexvar_epi8(_mm256_load_si256(reinterpret_cast<const __m256i*>(layout.bytes)),
                                                _mm256_set_m128i(others, digits));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), chars);
  const int last = 32 - static_cast<int>(_lzcnt_u32(_mm_cmpneq_epi8_mask(digits, _mm_set1_epi8('0'))));
  return out + std::max<int>(layout.before_digits + last, layout.min_size);
}

// Writes a number with an exponent: the number from 1 to 10 that has its digits, then at least two digits of the
// exponent.
inline char* write_with_exponent(const EightDoubles& numbers, int64_t k, char* out) {
  const auto of_one = static_cast<size_t>(-2 * DoubleLayout::kMinExponent);
  const bool has_first = numbers.first[k] != '0';
  char* end = write_layout(kDoubleLayouts[of_one + has_first], numbers, k, out);
  if (end - out == 3 && out[2] == '0') end = out + 1;
  const int exponent = numbers.exponent[k];
  *end++ = 'e';
  *end++ = exponent < 0 ? '-' : '+';
  const auto magnitude = static_cast<uint64_t>(exponent < 0 ? -exponent : exponent);
  *end = '0';
  return write_short_integer(magnitude, end + (magnitude < 10));
}

char* format_doubles(const double* values, int64_t count, char* out, uint8_t* sizes) {
  constexpr int64_t kLanes = 8, kBatch = 64;
  EightDoubles eights[kBatch / kLanes];
  for (int64_t begin = 0; begin < count; begin += kBatch) {
    const int64_t batch = std::min(kBatch, count - begin);
    for (int64_t i = 0; i < batch; i += kLanes) {
      double last[kLanes] = {};
      const double* from = values + begin + i;
      if (batch - i < kLanes) {
        std::memcpy(last, from, static_cast<size_t>(batch - i) * sizeof(double));
        from = last;
      }
      find_digits(from, eights[i / kLanes]);
    }
    for (int64_t i = 0; i < batch; ++i) {
      const EightDoubles& found = eights[i / kLanes];
      const int64_t k = i % kLanes;
      const int layout = found.layout[k];
      char* const text = out;
      if (layout == DoubleLayout::kOther) {
        out = format_number(values[begin + i], out);
      } else {
        *out = '-';
        out += found.minus[k];
        out = layout == DoubleLayout::kExponent
                  ? write_with_exponent(found, k, out)
                  : write_layout(kDoubleLayouts[static_cast<size_t>(layout)], found, k, out);
      }
      sizes[begin + i] = static_cast<uint8_t>(out - text);
    }
  }
  return out;
}

}  // namespace
}  // namespace stringops::simd
