#ifdef __x86_64__
#include <immintrin.h>

#include "simd/target.h"
#include "simd/tiers.h"

BEGIN_TARGET("avx2")

namespace stringops::simd {
namespace {

using Vector = __m256i;

Vector equal(Vector x, char c) {
  return _mm256_cmpeq_epi8(x, _mm256_set1_epi8(c));
}

// Returns the bytes within [first, first + count); the comparison is one of signed bytes.
Vector within(Vector x, int first, int count) {
  const Vector shifted = _mm256_sub_epi8(x, _mm256_set1_epi8(static_cast<char>(first + 128)));
  return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(count - 128)), shifted);
}

Vector letters(Vector x) {
  return within(_mm256_or_si256(x, _mm256_set1_epi8(0x20)), 'a', 26);
}
Vector spaces(Vector x) {
  return _mm256_or_si256(within(x, 9, 5), equal(x, ' '));
}
Vector newlines(Vector x) {
  return _mm256_or_si256(equal(x, '\n'), equal(x, '\r'));
}

Vector controls(Vector x) {
  const Vector others = _mm256_or_si256(newlines(x), equal(x, '\t'));
  return _mm256_or_si256(_mm256_andnot_si256(others, within(x, 0, ' ')), equal(x, 0x7F));
}

uint64_t mask(Vector low, Vector high) {
  const auto half = [](Vector x) { return static_cast<uint32_t>(_mm256_movemask_epi8(x)); };
  return uint64_t{half(high)} << 32 | half(low);
}

AsciiMasks find_ascii_masks(const uint8_t* text) {
  const Vector a = _mm256_loadu_si256(reinterpret_cast<const Vector*>(text));
  const Vector b = _mm256_loadu_si256(reinterpret_cast<const Vector*>(text + 32));
  return {mask(letters(a), letters(b)),       mask(within(a, '0', 10), within(b, '0', 10)),
          mask(spaces(a), spaces(b)),         mask(newlines(a), newlines(b)),
          mask(equal(a, ' '), equal(b, ' ')), mask(equal(a, '\''), equal(b, '\'')),
          mask(controls(a), controls(b)),     mask(a, b)};
}

}  // namespace

void avx2_text(TextPrimitives& t) {
  t.find_ascii_masks = find_ascii_masks;
}

}  // namespace stringops::simd

END_TARGET

#endif  // __x86_64__
