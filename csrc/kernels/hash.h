// Hashes that operators return (driver/reduce.h): functions of the bytes and a seed that never change, and are equal on
// every machine.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/hash.h"
#include "core/rows.h"
#include "core/string_span.h"
#include "kernels/driver/runner.h"

namespace stringops::kernels {

// The hashes of many strings: hash(string, readable_end), where bytes up to readable_end may be read.
template <class Hash, class Value>
void hash_strings(const Hash& hash, const StringSpan& in, int64_t first, int64_t last, Value* out) {
  const uint8_t* const readable_end = in.data + in.num_bytes;
  for_each_string(in, first, last, [&](int64_t i, ByteRange string) { out[i] = hash(in.view(string), readable_end); });
}

// XXH3, 64 bits.
struct Xxh3 {
  using Value = int64_t;
  static constexpr Cost kCost{4, 0.05};
  static constexpr bool kRuns = false;
  uint64_t seed;

  int64_t operator()(StringView in) const { return static_cast<int64_t>(stable_hash(in.begin, in.size(), seed)); }
};

// XXH3 % num_buckets, unsigned.
class HashBucket {
 public:
  using Value = int64_t;
  static constexpr Cost kCost{5, 0.05};
  static constexpr bool kRuns = false;

  HashBucket(uint64_t seed, int64_t num_buckets)
      : seed_(seed), num_buckets_(static_cast<uint64_t>(num_buckets)), reciprocal_(~uint64_t{0} / num_buckets_) {}

  int64_t operator()(StringView in) const {
    const uint64_t hash = stable_hash(in.begin, in.size(), seed_);
    // A product instead of a division, which takes several times as long. The reciprocal is rounded down by less than
    // 1, so the quotient is too small by at most 1.
    const auto quotient = static_cast<uint64_t>(static_cast<unsigned __int128>(hash) * reciprocal_ >> 64);
    const uint64_t rest = hash - quotient * num_buckets_;
    return static_cast<int64_t>(rest >= num_buckets_ ? rest - num_buckets_ : rest);
  }

 private:
  uint64_t seed_;
  uint64_t num_buckets_;
  uint64_t reciprocal_;
};

// MurmurHash3, the variant x86_32. Integer is int32_t or uint32_t.
template <class Integer>
struct Murmur3 {
  using Value = Integer;
  static constexpr Cost kCost{6, 0.5};
  static constexpr bool kRuns = true;
  uint32_t seed;

  Integer operator()(StringView in, const uint8_t* readable_end) const {
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
    return static_cast<Integer>(hash ^ hash >> 16);
  }
  Integer operator()(StringView in) const { return (*this)(in, in.end); }
  void run(const StringSpan& in, int64_t first, int64_t last, Integer* out) const {
    hash_strings(*this, in, first, last, out);
  }

 private:
  static uint32_t rotate(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }
  static uint32_t scramble(uint32_t block) { return rotate(block * 0xcc9e2d51, 15) * 0x1b873593; }
};

// SipHash-2-4, 64 bits.
struct SipHash {
  using Value = int64_t;
  static constexpr Cost kCost{15, 0.6};
  static constexpr bool kRuns = false;
  uint64_t key[2];

  int64_t operator()(StringView in) const {
    State state{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                key[1] ^ 0x7465646279746573};
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
    state.c ^= 0xff;
    for (int i = 0; i < 4; ++i) state.mix();
    return static_cast<int64_t>(state.a ^ state.b ^ state.c ^ state.d);
  }

 private:
  struct State {
    uint64_t a, b, c, d;

    void add(uint64_t block) {
      d ^= block;
      mix();
      mix();
      a ^= block;
    }
    void mix() {
      a += b;
      b = rotate(b, 13) ^ a;
      a = rotate(a, 32);
      c += d;
      d = rotate(d, 16) ^ c;
      a += d;
      d = rotate(d, 21) ^ a;
      c += b;
      b = rotate(b, 17) ^ c;
      c = rotate(c, 32);
    }
    static uint64_t rotate(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }
  };
};

}  // namespace stringops::kernels
