// Makes distinct words that collide in a hash table, as an attacker could who knows or chooses its seed.
//
//   colliding KIND COUNT SEED     KIND: short, long, longer: COUNT words, of one home under expand_seed(SEED)
//   colliding rejected COUNT SEED  a vocabulary whose own seed is SEED; 300 words of one home under SEED to SEED + 15
//   each colliding slow COUNT SEED     a vocabulary whose own seed is SEED; 200 words each share a home
//
// Writes their number, their sizes and their bytes, little-endian. Collisions are computed by solving for the hash, not
// searched for.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/word_key.h"

namespace stringops {
namespace {

using Words = std::vector<std::string>;

const auto* const kDefaultSecret = reinterpret_cast<const uint8_t*>(xxh3::kSecret);

std::string bytes_of(uint64_t value, size_t size) {
  return std::string(reinterpret_cast<const char*>(&value), size);
}

// 8 to 11 bytes. Bytes 4 to 7 make one factor of home_slot's product 0, so bytes 0 to 3, which are in the other factor,
// make no difference.
std::string short_word(const HashSeed& seed, uint64_t i, const std::string& rest = "") {
  return bytes_of(i, 4) + bytes_of(0 - (seed.low >> 32), 4) + rest;
}

// 32 bytes, all with the same hash: one factor of the first product is 0, so the first 4 bytes make no difference.
std::string long_word(const HashSeed& seed, uint64_t i) {
  return bytes_of(i, 4) + bytes_of(0 - (PartSeeds(seed).numbers[0] >> 32), 4) + std::string(24, 'x');
}

// 65 bytes or more are hashed by XXH3. Up to 128 bytes it adds products of 16 bytes each; here, the last 16.
std::string longer_word(const HashSeed& seed, uint64_t i) {
  uint64_t secret;
  std::memcpy(&secret, kDefaultSecret + 16, 8);
  return std::string(64, 'x') + bytes_of(secret + seed.low, 8) + bytes_of(i, 8);
}

// XXH3 of more than 240 bytes, up to the accumulators of its last block.
class LongXxh3 {
 public:
  LongXxh3(const std::string& text, uint64_t seed) : size_(text.size()) {
    for (size_t i = 0; i < sizeof(secret_); i += 16) {
      const uint64_t words[2] = {read(kDefaultSecret + i) + seed, read(kDefaultSecret + i + 8) - seed};
      std::memcpy(secret_ + i, words, 16);
    }
    const size_t stripes = (size_ - 1) / 64;
    for (size_t s = 0; s < stripes; ++s) {
      add(text.data() + 64 * s, secret_ + 8 * (s % 16));
      if (s % 16 == 15) scramble();
    }
    add(text.data() + size_ - 64, secret_ + sizeof(secret_) - 64 - 7);
  }

  uint64_t hash() const {
    uint64_t sum = size_ * kPrime1;
    for (size_t i = 0; i < 8; i += 2) sum += pair(i);
    sum = (sum ^ sum >> 37) * kPrime;
    return sum ^ sum >> 32;
  }

  // Solves for lanes 0 and 1 of the last two stripes, so that the hash is `target`. These are in the last block, and
  // contain values that add nothing to their own accumulator: the lower or upper half equals that of the key.
  void solve(uint64_t target, char* last_two) const {
    uint64_t sum = unshift(target, 32) * inverse(kPrime);
    sum = unshift(sum, 37) - size_ * kPrime1 - pair(2) - pair(4) - pair(6);
    // 1 * sum is sum, also when folded.
    const uint64_t missing[2] = {(1 ^ read(secret_ + 11)) - acc_[0], (sum ^ read(secret_ + 19)) - acc_[1]};
    const size_t before = (size_ - 1) / 64 - 1;
    const uint8_t* const keys[2] = {secret_ + 8 * (before % 16), secret_ + sizeof(secret_) - 64 - 7};
    for (size_t lane = 0; lane < 2; ++lane) {
      // Before, both lanes hold their keys, so that their products are 0. Now one keeps the upper half of its key, the
      // other one the lower half.
      const uint64_t key0 = read(keys[0] + 8 * lane), key1 = read(keys[1] + 8 * lane);
      const uint64_t want = missing[1 - lane] + key0 + key1;
      const uint64_t low = static_cast<uint32_t>(want - (key1 & 0xffffffff));
      const uint64_t data0 = (key0 & ~uint64_t{0xffffffff}) | low;
      const uint64_t data1 = want - data0;
      std::memcpy(last_two + 8 * lane, &data0, 8);
      std::memcpy(last_two + 64 + 8 * lane, &data1, 8);
    }
  }

  // Initializes lanes 0 and 1 of the last two stripes for `solve`.
  void prepare(char* last_two) const {
    const size_t before = (size_ - 1) / 64 - 1;
    std::memcpy(last_two, secret_ + 8 * (before % 16), 16);
    std::memcpy(last_two + 64, secret_ + sizeof(secret_) - 64 - 7, 16);
  }

 private:
  static constexpr uint64_t kPrime1 = xxh3::kPrime64_1, kPrime = xxh3::kPrimeMx1;

  static uint64_t read(const void* at) {
    uint64_t value;
    std::memcpy(&value, at, 8);
    return value;
  }
  static uint64_t unshift(uint64_t x, int by) { return x ^ x >> by; }  // for by >= 32
  static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  }
  void add(const char* stripe, const uint8_t* secret) {
    for (size_t i = 0; i < 8; ++i) {
      const uint64_t data = read(stripe + 8 * i), key = data ^ read(secret + 8 * i);
      acc_[i ^ 1] += data;
      acc_[i] += (key & 0xffffffff) * (key >> 32);
    }
  }
  void scramble() {
    for (size_t i = 0; i < 8; ++i) {
      acc_[i] = (acc_[i] ^ acc_[i] >> 47 ^ read(secret_ + sizeof(secret_) - 64 + 8 * i)) * 0x9E3779B1;
    }
  }
  uint64_t pair(size_t i) const {
    return mix(acc_[i] ^ read(secret_ + 11 + 8 * i), acc_[i + 1] ^ read(secret_ + 19 + 8 * i));
  }

  uint64_t size_;
  uint8_t secret_[192];
  uint64_t acc_[8] = {0xC2B2AE3D,         0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x85EBCA77,         0x27D4EB2F165667C5, 0x9E3779B1};
};

// Appends a word such that the hash of all words, which is a vocabulary's seed, is `seed`.
void make_seed(Words& words, uint64_t seed) {
  std::string text;
  for (const std::string& word : words) text += word;
  // The word ends with two whole stripes, in the same block; the rest is arbitrary.
  size_t rest = 64 - text.size() % 64 + 128;
  while ((text.size() + rest) % 1024 < 192) rest += 64;
  std::string last(rest, '.');
  const uint64_t count = words.size() + 1;
  char* const two = last.data() + rest - 128;
  LongXxh3(text + last, count).prepare(two);
  LongXxh3(text + last, count).solve(seed, two);
  words.push_back(last);
  text += last;
  if (seeded_hash(reinterpret_cast<const uint8_t*>(text.data()), static_cast<int64_t>(text.size()), count) != seed) {
    std::fprintf(stderr, "colliding: the hash of this version of xxhash is not solved\n");
    std::exit(1);
  }
}

Words make(const std::string& kind, uint64_t count, uint64_t seed) {
  Words words;
  if (kind == "rejected") {
    for (uint64_t s = 0; s < 16; ++s) {
      for (uint64_t i = 0; i < 300; ++i) words.push_back(short_word(expand_seed(seed + s), i));
    }
    while (words.size() + 1 < count) words.push_back(std::to_string(words.size()));
    make_seed(words, seed);
    return words;
  }
  const HashSeed known = expand_seed(seed);
  for (uint64_t i = 0; words.size() < count - (kind == "slow"); ++i) {
    if (kind == "slow") words.push_back(short_word(known, i, bytes_of(i / 200, 3)));
    if (kind == "short") words.push_back(short_word(known, i));
    if (kind == "long") words.push_back(long_word(known, i));
    if (kind == "longer") words.push_back(longer_word(known, i));
    if (words.empty()) std::exit(2);
  }
  if (kind == "slow") make_seed(words, seed);
  return words;
}

}  // namespace
}  // namespace stringops

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto words = stringops::make(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  const auto count = static_cast<uint32_t>(words.size());
  std::fwrite(&count, 4, 1, stdout);
  for (const std::string& word : words) {
    const auto size = static_cast<uint32_t>(word.size());
    std::fwrite(&size, 4, 1, stdout);
  }
  for (const std::string& word : words) std::fwrite(word.data(), 1, word.size(), stdout);
}
