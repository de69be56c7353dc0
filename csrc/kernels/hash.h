// Hashes that operators return (driver/reduce.h): functions of the bytes and a seed that never change, and are equal on
// every machine.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/crc32.h"
#include "core/string_hashes.h"
#include "core/string_span.h"
#include "core/strings.h"
#include "core/testing.h"
#include "driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// XXH3, 64 bits.
struct Xxh3 {
  using Value = int64_t;
  static constexpr Cost kCost{2, 0.05};
  static constexpr bool kRuns = true;
  uint64_t seed;

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
    const int32_t* const begins = in.offsets + first;
    simd::primitives().hash_xxh3({in.data, in.num_bytes, begins, begins + 1, false}, last - first, seed,
                                 reinterpret_cast<uint64_t*>(out + first));
  }
};

// XXH3 % num_buckets, unsigned.
class HashBucket {
 public:
  using Value = int64_t;
  static constexpr Cost kCost{3, 0.05};
  static constexpr bool kRuns = true;

  HashBucket(uint64_t seed, int64_t num_buckets)
      : seed_(seed), num_buckets_(static_cast<uint64_t>(num_buckets)), reciprocal_(~uint64_t{0} / num_buckets_) {}

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
    // The loop works in blocks, whose hashes are in the cache when they are reduced.
    for (int64_t i = first; i < last; i += kBlock) {
      const int64_t end = std::min(last, i + kBlock);
      Xxh3{seed_}.run(in, i, end, out);
      for (int64_t k = i; k < end; ++k) out[k] = bucket_of(static_cast<uint64_t>(out[k]));
    }
  }

 private:
  static constexpr int64_t kBlock = block_size(2048, 20);

  int64_t bucket_of(uint64_t hash) const {
    // A product replaces a division, which takes several times as long. The reciprocal is rounded down by less than 1,
    // so the quotient is too small by at most 1.
    const auto quotient = static_cast<uint64_t>(static_cast<unsigned __int128>(hash) * reciprocal_ >> 64);
    const uint64_t rest = hash - quotient * num_buckets_;
    return static_cast<int64_t>(rest >= num_buckets_ ? rest - num_buckets_ : rest);
  }

  uint64_t seed_;
  uint64_t num_buckets_;
  uint64_t reciprocal_;
};

// MurmurHash3, the variant x86_32. Integer is int32_t or uint32_t.
template <class Integer>
struct Murmur3 {
  using Value = Integer;
  static constexpr Cost kCost{2, 0.15};
  static constexpr bool kRuns = true;
  uint32_t seed;

  void run(const StringSpan& in, int64_t first, int64_t last, Integer* out) const {
    const uint8_t* const readable_end = in.data + in.num_bytes;
    for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
      out[i] = static_cast<Integer>(murmur3(in.view(string), seed, readable_end));
    });
  }
};

// CRC-32, as zlib's.
struct Crc32 {
  using Value = int64_t;
  static constexpr Cost kCost{4, 0.4};
  static constexpr bool kRuns = false;

  int64_t operator()(StringView in) const { return ~update_crc32(~uint32_t{0}, in.begin, in.size()); }
};

// SipHash-2-4, 64 bits.
struct SipHash {
  using Value = int64_t;
  static constexpr Cost kCost{3, 0.15};
  static constexpr bool kRuns = false;
  SipKey key;

  int64_t operator()(StringView in) const { return static_cast<int64_t>(siphash(in, key)); }
};

}  // namespace stringops::kernels
