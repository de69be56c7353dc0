// Hashes that operators return (driver/reduce.h): functions of the bytes and a seed that never change, and are equal on
// every machine.
#pragma once

#include <cstdint>

#include "core/crc32.h"
#include "core/string_hashes.h"
#include "core/string_span.h"
#include "core/strings.h"
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
struct HashBucket {
  using Value = int64_t;
  static constexpr Cost kCost{4, 0.05};
  static constexpr bool kRuns = true;
  uint64_t seed;
  uint64_t num_buckets;

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
    Xxh3{seed}.run(in, first, last, out);
    for (int64_t i = first; i < last; ++i) out[i] = static_cast<int64_t>(static_cast<uint64_t>(out[i]) % num_buckets);
  }
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
