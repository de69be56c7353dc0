// A hash table of strings that grows: open addressing with linear probing, at most half full.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/narrow.h"
#include "core/platform.h"
#include "core/testing.h"
#include "core/word_key.h"

namespace stringops::kernels {

class GrowingTable {
 public:
  // A table for the words of this number of strings. For few words it starts small, which is faster to allocate and
  // clear.
  GrowingTable(const HashSeed& seed, int64_t num_strings)
      : seed_(seed),
        num_strings_(num_strings),
        slots_(empty(static_cast<size_t>(std::clamp<int64_t>(2 * num_strings, 16, 1024)))) {}

  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(slots_.data()); }
  uint64_t capacity() const { return slots_.size(); }

  // Makes room for the words of strings [first, first + more). Homes computed before are invalid afterwards.
  void reserve(int64_t first, int64_t more) {
    while (2 * (num_words_ + more) > static_cast<int64_t>(slots_.size())) grow(larger(first));
  }

  // The slot that holds the word, or the empty one where it belongs.
  template <class IsWord>
  WordSlot& find(const WordKey& key, uint64_t home, IsWord&& is_word) {
    for (uint64_t i = home;; i = next(i)) {
      WordSlot& slot = slots_[i];
      if (slot.high == kEmptyMark) return slot;
      if (slot.low == key.low && slot.high == key.high && is_word(slot.id)) return slot;
      ++steps_;
    }
  }

  void insert(WordSlot& slot, const WordKey& key) {
    slot = {key.low, key.high, narrow<int32_t>(num_words_)};
    ++num_words_;
  }

  // Steps from one slot to the next, in all searches so far.
  int64_t steps() const { return steps_; }

 private:
  static constexpr WordSlot kEmpty{0, kEmptyMark, -1};
  static constexpr int64_t kLarge = block_size(1 << 16, 32);

  static std::vector<WordSlot> empty(size_t capacity) {
    std::vector<WordSlot> slots;
    slots.reserve(capacity);
    advise_huge_pages(slots.data(), capacity * sizeof(WordSlot));
    slots.assign(capacity, kEmpty);
    return slots;
  }

  uint64_t next(uint64_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  // The next capacity, when the first `seen` strings are in the table. A large table is most of an operator's memory in
  // addition to its outputs, so it grows by a quarter only, unless most strings since it grew last were new words: then
  // to what that share predicts for the strings to come, which saves most of the time if all are distinct. A small one
  // grows to that, too, if almost all are distinct, or else by four.
  size_t larger(int64_t seen) {
    const auto size = static_cast<int64_t>(slots_.size());
    const int64_t words = num_words_ - words_before_, strings = seen - seen_before_;
    words_before_ = num_words_;
    seen_before_ = seen;
    const bool are_distinct = words > strings - strings / 8;
    if (size < kLarge && !are_distinct) return static_cast<size_t>(size * 4);
    int64_t expected = 0;
    if (words > strings / 2) {
      const double share = static_cast<double>(words) / static_cast<double>(strings);
      expected = 2 * (num_words_ + static_cast<int64_t>(share * static_cast<double>(num_strings_ - seen)));
    }
    return static_cast<size_t>(std::clamp(expected, size + size / 4, size * (size < kLarge ? 16 : 4)));
  }

  // A slot holds everything that its home is computed from, and homes keep their order, so this walks both tables once.
  void grow(size_t capacity) {
    std::vector<WordSlot> old = empty(capacity);
    old.swap(slots_);
    for (const WordSlot& slot : old) {
      if (slot.high == kEmptyMark) continue;
      uint64_t i = home_slot({slot.low, slot.high}, seed_, slots_.size());
      while (slots_[i].high != kEmptyMark) i = next(i);
      slots_[i] = slot;
    }
  }

  HashSeed seed_;
  int64_t num_strings_;
  std::vector<WordSlot> slots_;
  int64_t num_words_ = 0;
  int64_t words_before_ = 0;  // words and strings seen when the table grew last
  int64_t seen_before_ = 0;
  int64_t steps_ = 0;
};

}  // namespace stringops::kernels
