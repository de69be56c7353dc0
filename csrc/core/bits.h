// Mask words: 64-bit words with one bit per byte; bit i % 64 of word i / 64 is byte i's.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stringops {

constexpr int64_t kWordBits = 64;

constexpr int64_t words_for(int64_t bits) {
  return (bits + kWordBits - 1) / kWordBits;
}

// The low n bits, 0 <= n <= 64.
constexpr uint64_t low_bits(int64_t n) {
  return n >= kWordBits ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}

inline bool test_bit(const uint64_t* words, int64_t i) {
  return words[i / kWordBits] >> (i % kWordBits) & 1;
}
inline void set_bit(uint64_t* words, int64_t i) {
  words[i / kWordBits] |= uint64_t{1} << (i % kWordBits);
}
inline void clear_bit(uint64_t* words, int64_t i) {
  words[i / kWordBits] &= ~(uint64_t{1} << (i % kWordBits));
}

// Calls f(word, bits) for each word that has some of the bits [begin, end), and with those.
template <class F>
void for_each_word(uint64_t* words, int64_t begin, int64_t end, F&& f) {
  while (begin < end) {
    const int64_t bit = begin % kWordBits, count = std::min(end - begin, kWordBits - bit);
    f(words[begin / kWordBits], low_bits(count) << bit);
    begin += count;
  }
}

// Set and clear bits [begin, end).
inline void set_bits(uint64_t* words, int64_t begin, int64_t end) {
  for_each_word(words, begin, end, [](uint64_t& word, uint64_t bits) { word |= bits; });
}
inline void clear_bits(uint64_t* words, int64_t begin, int64_t end) {
  for_each_word(words, begin, end, [](uint64_t& word, uint64_t bits) { word &= ~bits; });
}

// Bits [at, at + 64) of words, of which the one after that of bit `at` is read. `at` is not
// negative; an unsigned division by a power of two is one shift.
inline uint64_t bits_at(const uint64_t* words, int64_t at) {
  const auto place = static_cast<uint64_t>(at);
  const uint64_t* const word = words + place / kWordBits;
  const uint64_t bit = place % kWordBits;
  return word[0] >> bit | word[1] << 1 << (kWordBits - 1 - bit);
}

// x + y + *carry, of words of a longer number; *carry becomes the carry to the next word.
inline uint64_t add_with_carry(uint64_t x, uint64_t y, uint64_t* carry) {
  const uint64_t sum = x + y, total = sum + *carry;
  *carry = static_cast<uint64_t>(sum < x) | static_cast<uint64_t>(total < sum);
  return total;
}

inline int popcount(uint64_t word) {
  return __builtin_popcountll(word);
}

// The positions of the lowest and of the highest bit of a word that is not 0.
inline int first_bit(uint64_t word) {
  return __builtin_ctzll(word);
}
inline int last_bit(uint64_t word) {
  return 63 - __builtin_clzll(word);
}

// The first set bit from `from` on, which there must be.
inline int64_t next_bit(const uint64_t* words, int64_t from) {
  int64_t w = from / kWordBits;
  uint64_t word = words[w] & ~low_bits(from % kWordBits);
  while (word == 0) word = words[++w];
  return w * kWordBits + first_bit(word);
}

// Calls f(i) for each set bit i of words [0, count), in order.
template <class F>
void for_each_bit(const uint64_t* words, int64_t count, F&& f) {
  for (int64_t w = 0; w < count; ++w) {
    for (uint64_t rest = words[w]; rest; rest &= rest - 1) f(w * kWordBits + first_bit(rest));
  }
}

// Writes base + i for each bit i of a mask, in order. Returns the end of what it has written.
inline uint32_t* list_bits(uint64_t mask, uint32_t base, uint32_t* out) {
  for (; mask != 0; mask &= mask - 1) *out++ = base + static_cast<uint32_t>(first_bit(mask));
  return out;
}

// The bits of words one by one, as they were when the word was reached.
class Bits {
 public:
  Bits(const uint64_t* words, int64_t count) : words_(words), count_(count) {}

  bool next(int64_t* at) {
    while (rest_ == 0) {
      if (++word_ >= count_) return false;
      rest_ = words_[word_];
    }
    *at = word_ * kWordBits + first_bit(rest_);
    rest_ &= rest_ - 1;
    return true;
  }

 private:
  const uint64_t* words_;
  int64_t count_, word_ = -1;
  uint64_t rest_ = 0;
};

}  // namespace stringops
