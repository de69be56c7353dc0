// Minima of MinHash signatures (min_hashes): every tier against the formula of simd/primitives.h, on buffers of exactly
// the documented size.
#include "fuzz.h"
#include "simd/primitives.h"

namespace stringops::fuzz {

FUZZ_TARGET(primitives_hashes) {
  const auto n = in.below(20), num_hashes = in.below(40);
  const Exact<uint32_t> values(n);
  const Exact<uint64_t> factors(num_hashes), terms(num_hashes), minima(num_hashes);
  for (int64_t i = 0; i < n; ++i) values[i] = in.any<uint32_t>();
  for (int64_t k = 0; k < num_hashes; ++k) {
    factors[k] = in.any<uint64_t>();
    terms[k] = in.any<uint64_t>();
    minima[k] = in.any<uint64_t>();
  }
  const auto found = same_on_every_tier([&] {
    const Exact<uint64_t> out(minima.copy());
    simd::primitives().min_hashes(values.data(), n, factors.data(), terms.data(), num_hashes, out.data());
    return out.copy();
  });
  for (int64_t k = 0; k < num_hashes; ++k) {
    uint64_t least = minima[k];
    for (int64_t i = 0; i < n; ++i) least = std::min(least, factors[k] * values[i] + terms[k]);
    REQUIRE(found[static_cast<size_t>(k)] == least);
  }
}

}  // namespace stringops::fuzz
