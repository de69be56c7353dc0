// Functions of vectors that AVX2 and AVX-512 write alike. Included once by the file of a tier, after its target pragma
// and its definitions of Vector and MM(name); its struct V inherits them.
#pragma once

#include <cstdint>

namespace stringops::simd {
namespace {

struct SameOnX86 {
  static Vector splat(uint8_t byte) { return MM(set1_epi8)(static_cast<char>(byte)); }
  static Vector high_half(Vector x) { return MM(srli_epi16)(x, 4) & splat(0x0F); }
  static Vector lookup(Vector rows, Vector x) { return MM(shuffle_epi8)(rows, x); }
  static Vector lookup_half(Vector rows, Vector x) { return MM(shuffle_epi8)(rows, x); }
  static Vector subtract_to_0(Vector x, Vector y) { return MM(subs_epu8)(x, y); }
  static uint64_t nth_bit(uint64_t word, int64_t n) { return _pdep_u64(uint64_t{1} << (n - 1), word); }
};

}  // namespace
}  // namespace stringops::simd
