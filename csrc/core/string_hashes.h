// MurmurHash3 and SipHash-2-4 of one string; XXH3 is in core/xxh3.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/string_span.h"

namespace stringops {

// Computes MurmurHash3, the variant x86_32. Bytes up to readable_end may be read.
inline uint32_t murmur3(StringView in, uint32_t seed, const uint8_t* readable_end) {
  const auto rotate = [](uint32_t x, int bits) { return x << bits | x >> (32 - bits); };
  const auto scramble = [&](uint32_t block) { return rotate(block * 0xcc9e2d51, 15) * 0x1b873593; };
  uint32_t hash = seed;
  const uint8_t* p = in.begin;
  for (; in.end - p >= 4; p += 4) {
    uint32_t block;
    std::memcpy(&block, p, 4);
    hash = rotate(hash ^ scramble(block), 13) * 5 + 0xe6546b64;
  }
  uint32_t tail = 0;
  if (readable_end - p >= 4) {
    std::memcpy(&tail, p, 4);
    tail &= (uint32_t{1} << (8 * (in.end - p))) - 1;
  } else {
    for (int64_t i = in.end - p; i-- > 0;) tail = tail << 8 | p[i];
  }
  hash ^= scramble(tail) ^ static_cast<uint32_t>(in.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

struct SipKey {
  uint64_t low;
  uint64_t high;
};

// The state of SipHash-2-4.
struct SipState {
  uint64_t a, b, c, d;

  void add(uint64_t block) {
    d ^= block;
    mix();
    mix();
    a ^= block;
  }
  uint64_t finish() {
    c ^= 0xff;
    for (int i = 0; i < 4; ++i) mix();
    return a ^ b ^ c ^ d;
  }

 private:
  void mix() {
    a += b;
    rotate(&b, 13);
    b ^= a;
    rotate(&a, 32);
    c += d;
    rotate(&d, 16);
    d ^= c;
    a += d;
    rotate(&d, 21);
    d ^= a;
    c += b;
    rotate(&b, 17);
    b ^= c;
    rotate(&c, 32);
  }
  static void rotate(uint64_t* x, int bits) { *x = *x << bits | *x >> (64 - bits); }
};

inline uint64_t siphash(StringView in, SipKey key) {
  SipState state{key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d, key.low ^ 0x6c7967656e657261,
                 key.high ^ 0x7465646279746573};
  const uint8_t* p = in.begin;
  for (; in.end - p >= 8; p += 8) {
    uint64_t block;
    std::memcpy(&block, p, 8);
    state.add(block);
  }
  // The last block ends with the low byte of the size.
  uint64_t last = static_cast<uint64_t>(in.size());
  for (int64_t i = 7; i-- > 0;) last = last << 8 | (i < in.end - p ? p[i] : 0);
  state.add(last);
  return state.finish();
}

}  // namespace stringops
