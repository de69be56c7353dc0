#include "core/xxh3.h"

namespace stringops::xxh3 {
namespace {

// Adds `count` stripes to the eight sums; each of them takes the secret 8 bytes after that of the one before.
void add_stripes(uint64_t* sums, const uint8_t* from, const uint8_t* secret, int64_t count) {
  for (; count > 0; --count, from += kStripeBytes, secret += 8) {
    for (int64_t i = 0; i < 8; ++i) {
      const uint64_t value = read_64(from + 8 * i), key = value ^ read_64(secret + 8 * i);
      sums[i] += (key & 0xffffffff) * (key >> 32);
      sums[i ^ 1] += value;
    }
  }
}

}  // namespace

uint64_t hash_long(const uint8_t* bytes, int64_t n, uint64_t seed) {
  alignas(64) uint64_t secret_words[24];
  alignas(64) uint64_t sums[8] = {kPrime32_3, kPrime64_1, kPrime64_2, kPrime64_3,
                                  kPrime64_4, kPrime32_2, kPrime64_5, kPrime32_1};
  for (int64_t i = 0; i < 24; ++i) secret_words[i] = kSecret[i] + (i % 2 == 0 ? seed : 0 - seed);
  const auto* const secret = reinterpret_cast<const uint8_t*>(secret_words);
  const int64_t stripes = (n - 1) / kStripeBytes;
  int64_t done = 0;
  for (; done + kBlockStripes <= stripes; done += kBlockStripes) {
    add_stripes(sums, bytes + kStripeBytes * done, secret, kBlockStripes);
    for (int64_t i = 0; i < 8; ++i) sums[i] = (sums[i] ^ sums[i] >> 47 ^ secret_words[16 + i]) * kPrime32_1;
  }
  add_stripes(sums, bytes + kStripeBytes * done, secret, stripes - done);
  add_stripes(sums, bytes + n - kStripeBytes, secret + 121, 1);  // the last one may overlap the one before
  uint64_t hash = static_cast<uint64_t>(n) * kPrime64_1;
  for (int64_t i = 0; i < 8; i += 2) {
    const uint8_t* const key = secret + 11 + 8 * i;
    hash += mix(sums[i] ^ read_64(key), sums[i + 1] ^ read_64(key + 8));
  }
  return finish(hash);
}

}  // namespace stringops::xxh3
