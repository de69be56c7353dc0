// A hash table of strings that grows: open addressing with linear probing, at most half full.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/huge_pages.h"
#include "core/narrow.h"
#include "core/word_key.h"

namespace stringops::kernels {

class GrowingTable {
 public:
  // A table for at most `max_words`. For few words it starts small, which is faster to allocate and clear.
  GrowingTable(const HashSeed& seed, int64_t max_words)
      : seed_(seed), slots_(empty(static_cast<size_t>(std::clamp<int64_t>(2 * max_words, 16, 1024)))) {}

  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(slots_.data()); }
  uint64_t capacity() const { return slots_.size(); }

  // Makes room for `more` words. Homes computed before are invalid afterwards.
  void reserve(int64_t more) {
    while (2 * static_cast<uint64_t>(num_words_ + more) > slots_.size()) grow();
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

  static std::vector<WordSlot> empty(size_t capacity) {
    std::vector<WordSlot> slots;
    slots.reserve(capacity);
    advise_huge_pages(slots.data(), capacity * sizeof(WordSlot));
    slots.assign(capacity, kEmpty);
    return slots;
  }

  uint64_t next(uint64_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  // A slot holds everything that its home is computed from, and homes keep their order, so this walks both tables once.
  // A large table grows by a quarter only, as it is most of an operator's memory in addition to its outputs.
  void grow() {
    const size_t size = slots_.size();
    std::vector<WordSlot> old = empty(size < (1 << 16) ? size * 4 : size + size / 4);
    old.swap(slots_);
    for (const WordSlot& slot : old) {
      if (slot.high == kEmptyMark) continue;
      uint64_t i = home_slot({slot.low, slot.high}, seed_, slots_.size());
      while (slots_[i].high != kEmptyMark) i = next(i);
      slots_[i] = slot;
    }
  }

  HashSeed seed_;
  std::vector<WordSlot> slots_;
  int64_t num_words_ = 0;
  int64_t steps_ = 0;
};

}  // namespace stringops::kernels
