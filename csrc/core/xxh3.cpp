#include "core/xxh3.h"

namespace stringops::xxh3 {

uint64_t hash_long(const uint8_t* bytes, int64_t n, uint64_t seed) {
  const auto add_stripes = [](uint64_t* sums, const uint8_t* from, const uint8_t* secret, int64_t count) {
    for (; count > 0; --count, from += kStripeBytes, secret += 8) {
      for (int64_t i = 0; i < 8; ++i) {
        const uint64_t value = read_64(from + 8 * i), key = value ^ read_64(secret + 8 * i);
        sums[i] += (key & 0xffffffff) * (key >> 32);
        sums[i ^ 1] += value;
      }
    }
  };
  return hash_stripes(bytes, n, seed, add_stripes);
}

}  // namespace stringops::xxh3
