// XXH3 of long strings in vectors: the eight sums of a stripe stay in registers. Included once by the file of a tier,
// after its target pragma and its definitions of Vector, MM(name), Block and V.
#pragma once

#include "core/hash.h"
#include "simd/hash_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

struct AddStripes {
  void operator()(uint64_t* sums, const uint8_t* from, const uint8_t* secret, int64_t count) const {
    auto* const first = reinterpret_cast<uint8_t*>(sums);
    Block all = V::load_block(first);
    for (; count > 0; --count, from += xxh3::kStripeBytes, secret += 8) {
      for (size_t k = 0; k < kVectors; ++k) {
        Vector& sum = all.vectors[k];
        const Vector value = V::load(from + k * sizeof(Vector)), key = value ^ V::load(secret + k * sizeof(Vector));
        sum = MM(add_epi64)(sum, MM(mul_epu32)(key, MM(srli_epi64)(key, 32)));
        sum = MM(add_epi64)(sum, MM(shuffle_epi32)(value, _MM_PERM_BADC));  // each value is added to its neighbor's sum
      }
    }
    for (size_t k = 0; k < kVectors; ++k) V::store(first + k * sizeof(Vector), all.vectors[k]);
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
