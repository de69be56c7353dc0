// SWAR in plain C++, for processors without a tier of their own: words of 64 bits hold eight bytes. It has the
// primitives of splits and of ASCII case; the others remain those of the scalar tier.
#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/whitespace.h"
#include "simd/tiers.h"

namespace stringops::simd {
namespace {

constexpr uint64_t kHigh = 0x8080808080808080, kOnes = 0x0101010101010101;

constexpr size_t kVectors = 8;
struct Bytes64 {
  uint64_t words[kVectors];
};

// Sums of bytes below 80 and of numbers up to 80 have no carry: their highest bit tells whether a byte reaches a bound.
inline uint64_t at_least(uint64_t x, uint8_t bound) {
  return (x & ~kHigh) + (0x80u - bound) * kOnes;
}

// Sets the highest bit of the bytes within [first, last], which are below 80; the other bits are arbitrary.
inline uint64_t within(uint64_t x, uint8_t first, uint8_t last) {
  return at_least(x, first) & ~at_least(x, static_cast<uint8_t>(last + 1)) & ~x;
}

// The processor may have no instruction for this, and popcount() then calls a function.
inline int32_t count_bits(uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return static_cast<int32_t>(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * kOnes >> 56);
}

struct V {
  static Bytes64 load_block(const uint8_t* from) {
    Bytes64 x;
    std::memcpy(&x, from, sizeof(x));
    return x;
  }
  static Bytes64 load_block(const uint8_t* data, int64_t i, int64_t n) {
    if (i + 64 <= n) return load_block(data + i);
    uint8_t copy[64] = {};
    if (i < n) std::memcpy(copy, data + i, static_cast<size_t>(n - i));
    return load_block(copy);
  }

  // Sets bit i if f(word) has the highest bit of byte i: a product moves those of eight bytes to its highest byte.
  template <class F>
  static uint64_t mask_of(const Bytes64& x, const F& f) {
    uint64_t mask = 0;
    for (size_t k = 0; k < kVectors; ++k) {
      mask |= ((f(x.words[k]) & kHigh) >> 7) * 0x0102040810204080 >> 56 << (8 * k);
    }
    return mask;
  }

  static constexpr int kCounts = 4;
  template <class Word>
  static void count(const Word& word, int32_t base, int32_t* out) {
    for (int k = 0; k < kCounts; ++k) out[k] = base + count_bits(word(k));
  }
};

inline uint64_t equal(const Bytes64& x, uint8_t byte) {
  return V::mask_of(x, [=](uint64_t word) {
    const uint64_t different = word ^ (byte * kOnes);
    return ~(at_least(different, 1) | different);
  });
}

inline uint64_t signs(const Bytes64& x) {
  return V::mask_of(x, [](uint64_t word) { return word; });
}

inline uint64_t ascii_whitespace(const Bytes64& x) {
  return V::mask_of(x, [](uint64_t word) { return within(word, 0x09, 0x0D) | within(word, 0x1C, 0x20); });
}

void find_byte(const uint8_t* data, int64_t n, uint8_t byte, uint64_t* words) {
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) words[i / 64] = equal(V::load_block(data + i), byte);
  if (i < n) words[i / 64] = equal(V::load_block(data, i, n), byte) & low_bits(n - i);
}

// Every byte is stored, and the next one overwrites it unless it is kept: a branch would be unpredictable.
inline void compress_block(const uint8_t* data, uint64_t keep, uint8_t* out) {
  for (int i = 0; i < 64; ++i) {
    *out = data[i];
    out += keep >> i & 1;
  }
}

inline void write_positions(uint64_t ends, int32_t base, int32_t* out) {
  for (int i = 0; i < 64; ++i) {
    *out = base + 1 + i;
    out += ends >> i & 1;
  }
}

// Returns 20 in the letters.
inline uint64_t letters(uint64_t x) {
  return (within(x | 0x20 * kOnes, 'a', 'z') & ~x & kHigh) >> 2;
}

// Changes the case of eight bytes; `after_letter` has 20 in those that follow a letter.
inline uint64_t change_ascii(uint64_t x, uint64_t found, uint64_t after_letter, AsciiCase to) {
  switch (to) {
    case AsciiCase::kLower:
      return x | found;
    case AsciiCase::kUpper:
      return x & ~found;
    case AsciiCase::kSwap:
      return x ^ found;
    case AsciiCase::kTitle:
      return (x | found) & ~(found & ~after_letter);
  }
  return x;
}

bool map_ascii(const uint8_t* data, int64_t n, AsciiCase to, uint8_t* out) {
  uint64_t seen = 0, before = 0;  // the letters of the word before
  const auto map = [&](const uint8_t* from, uint8_t* result, size_t size) {
    uint64_t x = 0;
    std::memcpy(&x, from, size);
    const uint64_t found = letters(x), changed = change_ascii(x, found, found << 8 | before >> 56, to);
    std::memcpy(result, &changed, size);
    seen |= x;
    before = found;
  };
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) map(data + i, out + i, 8);
  if (i < n) map(data + i, out + i, static_cast<size_t>(n - i));
  return (seen & kHigh) == 0;
}

}  // namespace
}  // namespace stringops::simd

#include "simd/piece_loops.h"

namespace stringops::simd {

void portable_tier(Primitives& t) {
  t.tier = "portable";
  t.find_byte = find_byte;
  t.find_whitespace = find_whitespace;
  t.map_ascii = map_ascii;
  t.write_pieces = write_pieces;
  t.list_pieces = list_pieces;
}

}  // namespace stringops::simd
