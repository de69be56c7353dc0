// XXH3 of long strings in vectors: the eight sums of a stripe stay in registers. Included once by the file of a tier,
// after its target pragma and its definitions of
//
//   Vector, load, store
//   add_products(sums, x)  adds (lower half of x[k]) * (upper half of x[k]) to each sums[k], in 64-bit lanes
//   add_swapped(sum, x)    adds each 64-bit lane of x to the lane that is its neighbor
#pragma once

#include "core/hash.h"
#include "simd/hash_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

struct AddStripes {
  void operator()(uint64_t* sums, const uint8_t* from, const uint8_t* secret, int64_t count) const {
    constexpr size_t kSums = xxh3::kStripeBytes / sizeof(Vector);
    auto* const first = reinterpret_cast<uint8_t*>(sums);
    Vector all[kSums];
    for (size_t k = 0; k < kSums; ++k) all[k] = V::load(first + k * sizeof(Vector));
    for (; count > 0; --count, from += xxh3::kStripeBytes, secret += 8) {
      // Otherwise the compiler, which sees that the secrets of stripes overlap, copies vectors of them at each step.
      asm("" : "+r"(secret));
      Vector keys[kSums];
      for (size_t k = 0; k < kSums; ++k) {
        const Vector value = V::load(from + k * sizeof(Vector));
        keys[k] = value ^ V::load(secret + k * sizeof(Vector));
        all[k] = V::add_swapped(all[k], value);
      }
      V::add_products(all, keys);
    }
    for (size_t k = 0; k < kSums; ++k) V::store(first + k * sizeof(Vector), all[k]);
  }
};

inline void xxh3_in_vectors(const StringRun& strings, int64_t count, uint64_t seed, uint64_t* hashes) {
  const auto hash_long = [](const uint8_t* bytes, int64_t n, uint64_t seed_of_all) {
    return xxh3::hash_stripes(bytes, n, seed_of_all, AddStripes());
  };
  hash_by_formula(strings, count, hashes,
                  [&](StringView text) { return xxh3::hash_by_size(text.begin, text.size(), seed, hash_long); });
}

}  // namespace
}  // namespace stringops::simd
