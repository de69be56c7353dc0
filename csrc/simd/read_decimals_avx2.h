// read_decimals with AVX2: a number of up to 32 characters is one vector, so that no branch depends on its length. A
// point is removed by a second load, which begins one byte before.
//
// Included once by the file of a tier, after its target pragma.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/read_decimal.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

// Reads strings of up to 32 characters.
class VectorReader {
 public:
  explicit VectorReader(const StringSpan& in)
      : data_(in.data), ends_(std::max<int64_t>(0, in.num_bytes - kReadAfterNumber - kRead + 1)) {
    // GCC would make the constants again for each number.
    asm("" : "+x"(zero_), "+x"(nine_), "+x"(tens_), "+x"(hundreds_), "+x"(ten_thousands_), "+x"(ten_to_8_));
  }

  // Reads the string from `begin` to `end`, unless the vectors would begin before the data, or it has more characters,
  // or digits of an exponent, than they hold.
  __attribute__((always_inline)) Decimal read(int64_t begin, int64_t end) const {
    Decimal number;
    if (static_cast<uint64_t>(end - begin - 1) >= 32 || static_cast<uint64_t>(end - kRead) >= ends_) return number;
    const uint8_t *text = data_ + begin, *digits_end = data_ + end;
    number.minus = *text == '-';
    text += (*text == '-') | (*text == '+');
    int64_t size = digits_end - text;
    __m256i digits = characters_before(digits_end);
    const uint64_t are_digits = V::signs(_mm256_cmpeq_epi8(_mm256_min_epu8(digits, nine_), digits));
    auto others = static_cast<uint32_t>(~are_digits & ~uint64_t{0} << (32 - size));
    number.form = Decimal::kInteger;
    if (others != 0) {
      number.form = Decimal::kNoNumber;
      auto points = static_cast<uint32_t>(V::equal(digits, kPointByte)) & others;
      others ^= points;
      if (others != 0) {
        // The exponent: a letter, a sign, and up to four digits.
        const int at = __builtin_ctz(others);
        const uint8_t *const letter = digits_end - 32 + at, sign = letter[1];
        const bool has_sign = sign == '-' || sign == '+';
        const int count = 31 - at - has_sign;
        size = letter - text;
        if ((*letter | 0x20) != 'e' || others != (1 | uint32_t{has_sign} << 1) << at || points >> at != 0)
          return number;
        if (size < 1 || count < 1) return number;
        if (count > 4 || letter - data_ < kRead) return Decimal();
        uint32_t power;
        std::memcpy(&power, digits_end - 4, sizeof power);
        power = (power ^ static_cast<uint32_t>(kZeroChars)) & ~uint32_t{0} << 8 * (4 - count);
        power = power * 10 + (power >> 8);  // numbers of two digits, in every second byte
        const auto magnitude = static_cast<int32_t>((power & 0xFF) * 100 + (power >> 16 & 0xFF));
        number.exponent = sign == '-' ? -magnitude : magnitude;
        digits_end = letter;
        points <<= 32 - at;
        digits = characters_before(digits_end);
      }
      if ((points & (points - 1)) != 0) return number;
      if (points != 0) {
        const int decimals = 31 - __builtin_ctz(points);
        number.exponent -= decimals;
        --size;
        digits = _mm256_blendv_epi8(characters_before(digits_end - 1), digits, last_bytes(decimals));
      }
      number.form = Decimal::kFraction;
    }
    if (size < 1) {
      number.form = Decimal::kNoNumber;
      return number;
    }
    set_digits(digits & last_bytes(size), number);
    return number;
  }

 private:
  static constexpr int64_t kRead = 33;  // bytes before the end of the digits

  // Returns all ones in the last n bytes.
  static __m256i last_bytes(int64_t n) {
    constexpr uint64_t kOnes = ~uint64_t{0};
    alignas(64) static constexpr uint64_t kBytes[8] = {0, 0, 0, 0, kOnes, kOnes, kOnes, kOnes};
    return V::load(reinterpret_cast<const uint8_t*>(kBytes) + n);
  }

  // Returns the 32 characters before p, less '0'.
  __m256i characters_before(const uint8_t* p) const { return V::load(p - 32) ^ zero_; }

  // Sets the digits of a number to 32 digits, or the first of them that a Decimal holds.
  void set_digits(__m256i digits, Decimal& number) const {
    const __m256i fours = _mm256_madd_epi16(_mm256_maddubs_epi16(digits, tens_), hundreds_);
    const __m256i eights = _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), ten_thousands_);
    const __m256i sixteens = _mm256_mul_epu32(eights, ten_to_8_) + _mm256_srli_epi64(eights, 32);
    const auto high = static_cast<uint64_t>(_mm256_extract_epi64(sixteens, 0));
    const auto low = static_cast<uint64_t>(_mm256_extract_epi64(sixteens, 2));
    number.has_more_digits = high >= kTenTo[Decimal::kMaxDigits - 16];
    number.digits = high * kTenTo16 + low;
    if (__builtin_expect(number.has_more_digits, false)) {
      size_t kept = 15;  // digits of the lower half
      // High has 16 digits at most, unless the text has changed since it was tested (race).
      while (kept > size_t{Decimal::kMaxDigits - 16} && high >= kTenTo[Decimal::kMaxDigits - kept]) --kept;
      number.digits = high * kTenTo[kept] + low / kTenTo[16 - kept];
      number.exponent += static_cast<int32_t>(16 - kept);
    }
  }

  const uint8_t* data_;
  uint64_t ends_;  // of the strings that are read, from kRead on
  __m256i zero_ = V::splat('0'), nine_ = V::splat(9);
  __m256i tens_ = _mm256_set1_epi16(10 | 1 << 8), hundreds_ = _mm256_set1_epi32(100 | 1 << 16);
  __m256i ten_thousands_ = _mm256_set1_epi32(10000 | 1 << 16), ten_to_8_ = V::wide(kTenTo8);
};

void read_decimals(const StringSpan& in, int64_t first, int64_t count, Decimal* out) {
  const VectorReader reader(in);
  bool all = true;
  for (int64_t k = 0; k < count; ++k) {
    int64_t begin = in.offsets[first + k], end = in.offsets[first + k + 1];
    asm("" : "+r"(begin), "+r"(end));  // the offsets are not read again after they are tested
    out[k] = reader.read(begin, end);
    all &= out[k].form != Decimal::kUnread;
  }
  for (int64_t k = 0; k < count && !all; ++k) {
    if (out[k].form == Decimal::kUnread) stringops::read_decimals(in, first + k, 1, out + k);
  }
}

}  // namespace
}  // namespace stringops::simd
