// base64, 24 bytes at a time: products shift the six bits of each character to a byte, and lookups in tables of 16
// bytes find the distance from a number to its character.
//
// Included once by avx2.cpp, after its target pragma.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "simd/base64.h"

namespace stringops::simd {
namespace {

// Returns the numbers that differ from `x` by the distances to their characters. Rows 0 to 13 of `distances` are those
// of a to z, of each digit, of the last two characters and of A to Z.
inline Vector base64_characters(Vector x, Vector distances) {
  const Vector is_capital = _mm256_cmpgt_epi8(V::splat(26), x);
  const Vector rows = _mm256_subs_epu8(x, V::splat(51)) | (is_capital & V::splat(13));
  return _mm256_add_epi8(x, _mm256_shuffle_epi8(distances, rows));
}

// Returns all ones in the bytes whose position is less than n.
inline Vector before(Vector positions, int64_t n) {
  return _mm256_cmpgt_epi8(V::splat(static_cast<uint8_t>(n)), positions);
}

void base64_vectors(const StringRun& strings, int64_t count, std::string_view alphabet, uint8_t* out,
                    const uint8_t* out_end, int32_t* ends) {
  constexpr int64_t kBytes = 24, kHalf = 12, kLoaded = kHalf + 16;
  const auto distance = [&](size_t i) { return static_cast<char>(alphabet[i] - static_cast<char>(i)); };
  const char d = distance(52);
  const Vector distances = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(distance(26), d, d, d, d, d, d, d, d, d, d, distance(62), distance(63), distance(0), 0, 0));
  const Vector groups = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
  // The positions of the bytes that are loaded, and of the characters.
  const Vector bytes_at = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15, 16, 17,
                                           18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
  const Vector characters_at = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                                                20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
  const uint8_t *const begin = out, *const data_end = strings.data + strings.num_bytes;
  for (int64_t i = 0; i < count; ++i) {
    StringView text = string_at(strings, i);
    while (text.begin < text.end && data_end - text.begin >= kLoaded &&
           out_end - out >= static_cast<int64_t>(sizeof(Vector))) {
      const int64_t read = std::min(text.size(), kBytes);
      const Vector bytes = _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(text.begin + kHalf),
                                               reinterpret_cast<const __m128i*>(text.begin));
      const Vector group = _mm256_shuffle_epi8(bytes & before(bytes_at, read), groups);
      // The first and third six bits of a group move down by a high product, the second and fourth up by a low one.
      const Vector down = _mm256_mulhi_epu16(group & _mm256_set1_epi32(0x0FC0FC00), _mm256_set1_epi32(0x04000040));
      const Vector up = _mm256_mullo_epi16(group & _mm256_set1_epi32(0x003F03F0), _mm256_set1_epi32(0x01000010));
      const Vector characters = base64_characters(down | up, distances);
      V::store(out, _mm256_blendv_epi8(V::splat('='), characters, before(characters_at, (read * 4 + 2) / 3)));
      out += (read + 2) / 3 * 4;
      text.begin += read;
    }
    if (__builtin_expect(text.begin < text.end, false)) out = write_base64(text, alphabet.data(), out, out_end);
    ends[i] = narrow<int32_t>(out - begin);
  }
}

}  // namespace
}  // namespace stringops::simd
