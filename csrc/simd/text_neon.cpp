#ifdef __aarch64__
#include <arm_neon.h>

#include "simd/tiers.h"

namespace stringops::simd {
namespace {

using Vector = uint8x16_t;

// Lane i of val[k] is byte 4 i + k, as in neon.cpp.
using Block = uint8x16x4_t;

template <class F>
Block map(const Block& x, F&& f) {
  return {{f(x.val[0]), f(x.val[1]), f(x.val[2]), f(x.val[3])}};
}
template <class F>
Block map(const Block& x, const Block& y, F&& f) {
  return {{f(x.val[0], y.val[0]), f(x.val[1], y.val[1]), f(x.val[2], y.val[2]), f(x.val[3], y.val[3])}};
}

Block equal(const Block& x, uint8_t c) {
  return map(x, [=](Vector v) { return vceqq_u8(v, vdupq_n_u8(c)); });
}
Block within(const Block& x, uint8_t first, uint8_t count) {
  return map(x, [=](Vector v) { return vcltq_u8(v - vdupq_n_u8(first), vdupq_n_u8(count)); });
}
Block either(const Block& x, const Block& y) {
  return map(x, y, [](Vector a, Vector b) { return a | b; });
}

uint64_t mask(const Block& x) {
  const Vector low = vsriq_n_u8(x.val[1], x.val[0], 1), high = vsriq_n_u8(x.val[3], x.val[2], 1);
  const Vector four = vsriq_n_u8(high, low, 2);
  const uint8x8_t bits = vshrn_n_u16(vreinterpretq_u16_u8(vsriq_n_u8(four, four, 4)), 4);
  return vget_lane_u64(vreinterpret_u64_u8(bits), 0);
}

AsciiMasks find_ascii_masks(const uint8_t* text) {
  const Block x = vld4q_u8(text);
  const uint64_t blanks = mask(equal(x, ' ')), newlines = mask(either(equal(x, '\n'), equal(x, '\r')));
  const uint64_t below_blank = mask(map(x, [](Vector v) { return vcltq_u8(v, vdupq_n_u8(' ')); }));
  return {mask(within(map(x, [](Vector v) { return v | vdupq_n_u8(0x20); }), 'a', 26)),
          mask(within(x, '0', 10)),
          mask(within(x, 9, 5)) | blanks,
          newlines,
          blanks,
          mask(equal(x, '\'')),
          (below_blank & ~(newlines | mask(equal(x, '\t')))) | mask(equal(x, 0x7F)),
          mask(x)};
}

}  // namespace

void neon_text(TextPrimitives& t) {
  t.find_ascii_masks = find_ascii_masks;
}

}  // namespace stringops::simd

#endif  // __aarch64__
