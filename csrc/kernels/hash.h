// Hashes that operators return (driver/reduce.h): functions of the bytes and a seed that never change, and are equal on
// every machine.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "core/string_hashes.h"
#include "core/string_span.h"
#include "core/strings.h"
#include "driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The remainder of x times a polynomial. The order of bits is reversed.
constexpr uint32_t crc32_times_x(uint32_t rest) {
  constexpr uint32_t kPolynomial = 0xEDB88320;  // without its highest bit
  return (rest & 1) != 0 ? rest >> 1 ^ kPolynomial : rest >> 1;
}

// Table k has the remainder of each byte that k zero bytes follow.
constexpr std::array<std::array<uint32_t, 256>, 8> make_crc32_tables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = crc32_times_x(rest);
    tables[0][byte] = rest;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t rest = tables[k - 1][byte];
      tables[k][byte] = rest >> 8 ^ tables[0][rest & 255];
    }
  }
  return tables;
}
inline constexpr std::array<std::array<uint32_t, 256>, 8> kCrc32Tables = make_crc32_tables();

// The remainder after n more bytes. That of a string begins with ~0, and its CRC-32 is ~ of the last one.
inline uint32_t update_crc32(uint32_t crc, const uint8_t* bytes, int64_t n) {
  const auto& tables = kCrc32Tables;
  for (; n >= 8; bytes += 8, n -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][word >> (8 * k) & 255];
  }
  for (; n > 0; ++bytes, --n) crc = crc >> 8 ^ tables[0][(crc ^ *bytes) & 255];
  return crc;
}

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
