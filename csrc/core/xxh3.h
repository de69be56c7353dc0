// XXH3 of one string, 64 bits, by the specification of xxHash (doc/xxhash_spec.md there). There is an algorithm for
// each range of sizes. Numbers are read as little-endian, the order of every processor that the package supports.
#pragma once

#include <cstdint>
#include <cstring>

namespace stringops {

// Folds the 128 bits of a product: every bit of both factors affects every bit of the result.
inline uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

namespace xxh3 {

constexpr uint64_t kPrime32_1 = 0x9e3779b1, kPrime32_2 = 0x85ebca77, kPrime32_3 = 0xc2b2ae3d;
constexpr uint64_t kPrime64_1 = 0x9e3779b185ebca87, kPrime64_2 = 0xc2b2ae3d27d4eb4f, kPrime64_3 = 0x165667b19e3779f9,
                   kPrime64_4 = 0x85ebca77c2b2ae63, kPrime64_5 = 0x27d4eb2f165667c5;
constexpr uint64_t kPrimeMx1 = 0x165667919e3779f9, kPrimeMx2 = 0x9fb21c651e98df25;

constexpr int64_t kMaxShort = 240;  // bytes; longer strings are hashed in stripes
constexpr int64_t kStripeBytes = 64;
constexpr int64_t kBlockStripes = 16;

// The default secret.
constexpr uint64_t kSecret[24] = {0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,  //
                                  0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,  //
                                  0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,  //
                                  0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,  //
                                  0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,  //
                                  0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af};

inline uint64_t read_32(const uint8_t* from) {
  uint32_t number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

inline uint64_t read_64(const uint8_t* from) {
  uint64_t number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

// The 8 bytes of the secret that begin at byte `at`.
inline uint64_t secret_at(int64_t at) {
  return read_64(reinterpret_cast<const uint8_t*>(kSecret) + at);
}

inline uint64_t rotate_left(uint64_t x, int bits) {
  return x << bits | x >> (64 - bits);
}

inline uint64_t finish(uint64_t hash) {
  hash = (hash ^ hash >> 37) * kPrimeMx1;
  return hash ^ hash >> 32;
}

inline uint64_t finish_few(uint64_t hash) {
  hash = (hash ^ hash >> 33) * kPrime64_2;
  hash = (hash ^ hash >> 29) * kPrime64_3;
  return hash ^ hash >> 32;
}

// Reverses the lower four bytes of the seed into its upper half.
constexpr uint64_t swap_seed(uint64_t seed) {
  return seed ^ uint64_t{__builtin_bswap32(static_cast<uint32_t>(seed))} << 32;
}

inline uint64_t hash_0_to_16(const uint8_t* bytes, int64_t n, uint64_t seed) {
  const auto size = static_cast<uint64_t>(n);
  if (n > 8) {
    const uint64_t low = read_64(bytes) ^ ((kSecret[3] ^ kSecret[4]) + seed);
    const uint64_t high = read_64(bytes + n - 8) ^ ((kSecret[5] ^ kSecret[6]) - seed);
    return finish(size + __builtin_bswap64(low) + high + mix(low, high));
  }
  if (n > 3) {
    uint64_t hash = read_32(bytes + n - 4) + (read_32(bytes) << 32);
    hash ^= (kSecret[1] ^ kSecret[2]) - swap_seed(seed);
    hash ^= rotate_left(hash, 49) ^ rotate_left(hash, 24);
    hash *= kPrimeMx2;
    hash = (hash ^ ((hash >> 35) + size)) * kPrimeMx2;
    return hash ^ hash >> 28;
  }
  if (n == 0) return finish_few(seed ^ kSecret[7] ^ kSecret[8]);
  const uint64_t all = uint64_t{bytes[0]} << 16 | uint64_t{bytes[n >> 1]} << 24 | bytes[n - 1] | size << 8;
  return finish_few(all ^ (static_cast<uint32_t>(kSecret[0] ^ kSecret[0] >> 32) + seed));
}

// Mixes 16 bytes with as many of the secret.
inline uint64_t mix_16(const uint8_t* bytes, int64_t secret, uint64_t seed) {
  return mix(read_64(bytes) ^ (secret_at(secret) + seed), read_64(bytes + 8) ^ (secret_at(secret + 8) - seed));
}

inline uint64_t hash_17_to_240(const uint8_t* bytes, int64_t n, uint64_t seed) {
  uint64_t hash = static_cast<uint64_t>(n) * kPrime64_1;
  if (n <= 128) {
    // Pairs of 16 bytes, one from each end, outward from the middle.
    const auto add_pair = [&](int64_t at) {
      hash += mix_16(bytes + at, 2 * at, seed) + mix_16(bytes + n - at - 16, 2 * at + 16, seed);
    };
    if (n > 96) add_pair(48);
    if (n > 64) add_pair(32);
    if (n > 32) add_pair(16);
    add_pair(0);
    return finish(hash);
  }
  for (int64_t at = 0; at < 128; at += 16) hash += mix_16(bytes + at, at, seed);
  hash = finish(hash);
  for (int64_t at = 128; at + 16 <= n; at += 16) hash += mix_16(bytes + at, at - 128 + 3, seed);
  return finish(hash + mix_16(bytes + n - 16, 136 - 17, seed));
}

// Hashes a string of more than kMaxShort bytes.
uint64_t hash_long(const uint8_t* bytes, int64_t n, uint64_t seed);

inline uint64_t hash(const uint8_t* bytes, int64_t n, uint64_t seed) {
  if (n <= 16) return hash_0_to_16(bytes, n, seed);
  return n <= kMaxShort ? hash_17_to_240(bytes, n, seed) : hash_long(bytes, n, seed);
}

}  // namespace xxh3
}  // namespace stringops
