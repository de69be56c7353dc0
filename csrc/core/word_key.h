// Keys of hash tables over words: 12 bytes that hold a short word, or the hash and size of a long one.
//
//   short (n <= 11):  low = bytes 0-7       high = bytes 8-10 | n << 24      equal keys are equal words
//   long:             low = 64-bit hash     high = low 24 bits of n | 0xff << 24
//
// Unused bytes of a short word are 0; n distinguishes words that end in NUL. Most words of most languages are short, so
// a table finds them without reading its own text.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "core/hash.h"

namespace stringops {

constexpr int64_t kInlineBytes = 11;
constexpr int64_t kMediumBytes = 27;  // with these, slots of 32 and of 64 bytes hold long words
constexpr int64_t kLargeBytes = 59;
constexpr int64_t kKeyBytes = 16;  // read to load a short word
constexpr uint32_t kLongMark = 0xff000000;
constexpr uint32_t kEmptyMark = 0xfe000000;  // `high` of a slot without a word; no word has it

struct WordKey {
  uint64_t low;
  uint32_t high;
  bool is_long() const { return high >= kLongMark; }
};

// One slot of a table: a key, and the word's id. Four per cache line.
struct WordSlot {
  uint64_t low;
  uint32_t high;
  int32_t id;
};
static_assert(sizeof(WordSlot) == 16);

constexpr uint64_t kHomeFactor = 0x9e3779b1;  // a prime near 2^32 over the golden ratio

// The upper 32 bits of hash * count, for a hash of 32 bits: a number below `count` < 2^32.
inline uint32_t scale_hash(uint64_t hash, uint64_t count) {
  return static_cast<uint32_t>((hash & 0xffffffff) * count >> 32);
}

// The products have 32 bits, as in vector lanes.
inline uint64_t sum_key(const WordKey& key, const HashSeed& seed) {
  const auto low32 = [](uint64_t x) { return x & 0xffffffff; };
  return low32(key.low + seed.low) * low32((key.low >> 32) + (seed.low >> 32)) +
         low32(key.high + seed.high) * (seed.high >> 32);
}

// Returns the slot, among `capacity` < 2^32, at which the search for a key starts. Doubling the capacity keeps keys in
// order.
//
// Both halves of the sum are used, because bit i of a product depends only on bits 0..i of its factors; the last
// product brings every bit to the upper ones, which select the slot.
inline uint32_t home_slot(const WordKey& key, const HashSeed& seed, uint64_t capacity) {
  const uint64_t sum = sum_key(key, seed);
  return scale_hash((sum ^ sum >> 32) * kHomeFactor, capacity);
}

// The slot of a word in a table without collisions, which is built once (kernels/vocabulary.h): its home, among
// kAllHomes, selects a bucket, which has a pilot; the pilot and a second hash select the slot.
constexpr uint64_t kAllHomes = UINT32_MAX;
constexpr uint64_t kSecondFactor = 0xc2b2ae35;
constexpr uint64_t kPilotFactor = 0x85ebca6b;

inline uint32_t second_hash(const WordKey& key, const HashSeed& seed) {
  const uint64_t sum = sum_key(key, seed), product = (sum & 0xffffffff) * kSecondFactor;
  return static_cast<uint32_t>(product ^ product >> 32 ^ sum >> 32);
}

inline uint32_t piloted_slot(uint32_t second, uint8_t pilot, uint64_t capacity) {
  return scale_hash((second ^ (pilot * kPilotFactor & 0xffffffff)) * kHomeFactor, capacity);
}

namespace detail {
// Masks for the 12 bytes at a short word, by its length.
struct KeyMasks {
  uint64_t low[kInlineBytes + 1];
  uint32_t high[kInlineBytes + 1];
};
constexpr KeyMasks kKeyMasks = [] {
  KeyMasks masks{};
  for (uint32_t n = 0; n <= kInlineBytes; ++n) {
    masks.low[n] = n < 8 ? (uint64_t{1} << (8 * n)) - 1 : ~uint64_t{0};
    masks.high[n] = n < 8 ? 0 : (uint32_t{1} << (8 * (n - 8))) - 1;
  }
  return masks;
}();
}  // namespace detail

// The keys of a batch of words, their homes and slots, as arrays for vector loads.
struct alignas(64) WordKeys {
  static constexpr int64_t kMaxWords = 64;
  uint64_t low[kMaxWords];
  uint32_t high[kMaxWords];
  uint32_t home[kMaxWords];
  uint32_t second[kMaxWords];  // second_hash
  uint32_t slot[kMaxWords];    // set by simd::locate_words
};

// Returns the key of a word of n <= 11 bytes. Reads kKeyBytes.
inline WordKey load_short_key(const uint8_t* word, uint32_t n) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  WordKey key;
  std::memcpy(&key.low, word, 8);
  std::memcpy(&key.high, word + 8, 4);
  return {key.low & detail::kKeyMasks.low[n], (key.high & detail::kKeyMasks.high[n]) | n << 24};
}

// A word of 12 to 32 bytes as four loads, which may overlap, without a branch on its length.
struct WordLoads {
  uint64_t head[2];
  uint64_t tail[2];

  WordLoads(const uint8_t* word, int64_t n) {
    std::memcpy(&head[0], word, 8);
    std::memcpy(&head[1], word + std::min<int64_t>(n - 8, 8), 8);
    std::memcpy(&tail[0], word + std::max<int64_t>(n - 16, 0), 8);
    std::memcpy(&tail[1], word + n - 8, 8);
  }
  static bool fit(int64_t n) { return n > kInlineBytes && n <= 32; }
};

// Whether two long words of n bytes are equal. n may be 0.
inline bool equal_long(const uint8_t* left, const uint8_t* right, int64_t n) {
  if (!WordLoads::fit(n)) return n == 0 || std::memcmp(left, right, static_cast<size_t>(n)) == 0;
  const WordLoads a(left, n), b(right, n);
  return ((a.head[0] ^ b.head[0]) | (a.head[1] ^ b.head[1]) | (a.tail[0] ^ b.tail[0]) | (a.tail[1] ^ b.tail[1])) == 0;
}

// Long words of up to this size are hashed in vector lanes.
constexpr int64_t kLaneBytes = 64;

// Returns the product of two 32-bit sums, as vector lanes compute it. The sum of these products over the parts of a
// word, with a random number for each, is the hash NH of UMAC: for any two words, few seeds make their sums equal
// (2^-32).
inline uint64_t nh_product(uint64_t part, uint64_t number) {
  const auto low32 = [](uint64_t x) { return x & 0xffffffff; };
  return low32(part + number) * low32((part >> 32) + (number >> 32));
}

// The numbers for the eight parts of a word.
struct PartSeeds {
  uint64_t numbers[8];

  explicit PartSeeds(const HashSeed& seed) {
    uint64_t factor = 0x9e3779b97f4a7c15;
    for (uint64_t& number : numbers) {
      number = mix(seed.low ^ factor, seed.high + factor);
      factor += 0xd1b54a32d192ed03;
    }
  }
};

// Returns the key of a word of up to 64 bytes. It is divided into two or four parts of 16 bytes, which may overlap: the
// first 16 and the last 16; beyond 32 bytes, also those adjacent to them. The upper half of the sum includes bits of
// the lower half, because only the lower bits differ much between similar words.
inline WordKey make_lane_key(const uint8_t* word, int64_t n, const PartSeeds& seeds) {
  n = std::min(n, kLaneBytes);
  uint8_t padded[16] = {};
  const uint8_t* last = word + (n - 16);
  if (n < 16) {
    std::memcpy(padded, word, static_cast<size_t>(n));
    word = last = padded;
  }
  uint64_t sum = 0;
  const uint64_t* number = seeds.numbers;
  const auto add = [&](const uint8_t* part) {
    uint64_t halves[2];
    std::memcpy(halves, part, sizeof(halves));
    sum += nh_product(halves[0], number[0]) + nh_product(halves[1], number[1]);
    number += 2;
  };
  add(word);
  add(last);
  if (n > 32) {
    add(word + 16);
    add(last - 16);
  }
  return {sum ^ sum << 32, kLongMark | static_cast<uint32_t>(n)};
}

inline WordKey make_long_key(const uint8_t* word, int64_t n, const HashSeed& seed) {
  if (n <= kLaneBytes) return make_lane_key(word, n, PartSeeds(seed));
  return {seeded_hash(word, n, seed.low), kLongMark | static_cast<uint32_t>(n & 0xffffff)};
}

// Returns the key of a word of n bytes. Reads no other bytes.
inline WordKey make_key(const uint8_t* word, int64_t n, const HashSeed& seed) {
  if (n > kInlineBytes) return make_long_key(word, n, seed);
  uint8_t copy[kKeyBytes] = {};
  if (n > 0) std::memcpy(copy, word, static_cast<size_t>(n));
  return load_short_key(copy, static_cast<uint32_t>(n));
}

}  // namespace stringops
