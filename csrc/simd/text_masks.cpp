#include "simd/text_masks.h"

#include <immintrin.h>

#include <cstring>

#include "simd/primitives.h"

namespace stringops::simd {
namespace {

enum Bit { kLetter, kNumber, kSpace, kNewline, kBlank, kApostrophe, kBeyond, kNumBits };

struct ByteClasses {
  uint8_t of[256] = {};

  constexpr ByteClasses() {
    for (int c = 0; c < 256; ++c) {
      const int lower = c | 0x20;
      const bool flags[kNumBits] = {lower >= 'a' && lower <= 'z' && c < 0x80,
                                    c >= '0' && c <= '9',
                                    c == ' ' || (c >= 9 && c <= 13),
                                    c == '\n' || c == '\r',
                                    c == ' ',
                                    c == '\'',
                                    c >= 0x80};
      for (int bit = 0; bit < kNumBits; ++bit) of[c] = static_cast<uint8_t>(of[c] | flags[bit] << bit);
    }
  }
};
constexpr ByteClasses kByteClasses;

AsciiMasks scalar(const uint8_t* text) {
  uint64_t masks[kNumBits] = {};
  for (int at = 0; at < 64; at += 8) {
    uint64_t flags = 0;
    for (int i = 0; i < 8; ++i) flags |= uint64_t{kByteClasses.of[text[at + i]]} << (8 * i);
    for (int bit = 0; bit < kNumBits; ++bit) {
      // The product moves bit `bit` of each byte to the upper byte.
      const uint64_t byte = ((flags >> bit) & 0x0101010101010101) * 0x0102040810204080 >> 56;
      masks[bit] |= byte << at;
    }
  }
  return {masks[kLetter], masks[kNumber],     masks[kSpace], masks[kNewline],
          masks[kBlank],  masks[kApostrophe], masks[kBeyond]};
}

#pragma GCC push_options
#pragma GCC target("avx2")

AsciiMasks avx2(const uint8_t* text) {
  const __m256i halves[2] = {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)),
                             _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32))};
  const auto mask = [&](auto&& test) {
    const auto low = static_cast<uint32_t>(_mm256_movemask_epi8(test(halves[0])));
    const auto high = static_cast<uint32_t>(_mm256_movemask_epi8(test(halves[1])));
    return uint64_t{high} << 32 | low;
  };
  // Whether a byte is within [first, first + count): the comparison is of signed bytes.
  const auto within = [](__m256i x, int first, int count) {
    const __m256i shifted = _mm256_sub_epi8(x, _mm256_set1_epi8(static_cast<char>(first + 128)));
    return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(count - 128)), shifted);
  };
  const auto equal = [](__m256i x, char c) { return _mm256_cmpeq_epi8(x, _mm256_set1_epi8(c)); };
  const __m256i case_bit = _mm256_set1_epi8(0x20);
  return {
      mask([&](__m256i x) { return within(_mm256_or_si256(x, case_bit), 'a', 26); }),
      mask([&](__m256i x) { return within(x, '0', 10); }),
      mask([&](__m256i x) { return _mm256_or_si256(within(x, 9, 5), equal(x, ' ')); }),
      mask([&](__m256i x) { return _mm256_or_si256(equal(x, '\n'), equal(x, '\r')); }),
      mask([&](__m256i x) { return equal(x, ' '); }),
      mask([&](__m256i x) { return equal(x, '\''); }),
      mask([&](__m256i x) { return x; }),
  };
}

#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw")

AsciiMasks avx512(const uint8_t* text) {
  const __m512i x = _mm512_loadu_si512(text);
  const auto within = [](__m512i v, char first, char count) {
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(first)), _mm512_set1_epi8(count));
  };
  const auto equal = [&](char c) { return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(c)); };
  const uint64_t blanks = equal(' ');
  return {within(_mm512_or_si512(x, _mm512_set1_epi8(0x20)), 'a', 26),
          within(x, '0', 10),
          within(x, 9, 5) | blanks,
          equal('\n') | equal('\r'),
          blanks,
          equal('\''),
          _mm512_movepi8_mask(x)};
}

#pragma GCC pop_options

}  // namespace

AsciiMasks find_ascii_masks(const uint8_t* text) {
  const char* const tier = primitives().tier;
  if (std::strcmp(tier, "avx512") == 0) return avx512(text);
  return std::strcmp(tier, "avx2") == 0 ? avx2(text) : scalar(text);
}

}  // namespace stringops::simd
