// The lookup table of a vocabulary: one buffer, made by vocab_build, searched by vocab_encode.
//
//   VocabHeader    64 bytes
//   WordSlot       [capacity + kMaxProbes]
//   long words     [text_bytes]              each: its length (uint32), its bytes
//
// Open addressing with linear probing. Homes are below `capacity`, and each word is less than kMaxProbes slots from its
// home, so searches are bounded and never wrap around.
//
// In the slot of a long word, `low` has 32 bits of the hash in its upper half, and the word's position among the long
// words in its lower half.
//
// vocab_encode gets the table as a tensor, so it may be malformed. `open_vocab_table` checks the header against the
// size. Slots are not checked in advance (a call with two strings must not pay for a million words), so every value
// read from one is checked before use: a malformed table gives wrong ids, never a read out of bounds.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/word_key.h"
#include "simd/primitives.h"

namespace stringops::kernels {

constexpr int64_t kMaxProbes = 256;

struct VocabHeader {
  static constexpr uint64_t kMagic = 0x3430626163564f53;  // "SOVcab04"; also rejects the other byte order
  uint64_t magic;
  uint64_t num_words;
  uint64_t capacity;
  uint64_t text_bytes;
  HashSeed seed;
  uint64_t unused[2];
};
static_assert(sizeof(VocabHeader) == 64);

// Twice the number of words, so that half of the slots are free.
inline int64_t vocab_capacity(int64_t num_words) {
  return std::max<int64_t>(2 * num_words, 16);
}

inline int64_t vocab_table_bytes(int64_t capacity, int64_t text_bytes) {
  return int64_t{sizeof(VocabHeader)} + (capacity + kMaxProbes) * int64_t{sizeof(WordSlot)} + text_bytes;
}

struct VocabTable {
  VocabHeader header;  // a private copy, as the buffer may be written concurrently
  const uint8_t* slots;
  const uint8_t* text;

  WordSlot slot(uint64_t i) const {
    WordSlot slot;
    std::memcpy(&slot, slots + i * sizeof(WordSlot), sizeof(slot));
    return slot;
  }

  simd::LongTexts texts() const { return {slots, text, header.text_bytes}; }

  // Prefetches the text of a long word, if slot i holds one.
  void prefetch_long(uint64_t i) const { __builtin_prefetch(text + static_cast<uint32_t>(slot(i).low)); }

  // Whether slot i holds the long word of n bytes. Compares the low 24 bits of the length and half of the hash first,
  // then the text.
  bool holds_long(uint64_t i, const WordKey& key, const uint8_t* word, int64_t n) const {
    const WordSlot slot = this->slot(i);
    return slot.high == key.high && (slot.low ^ key.low) >> 32 == 0 && texts().holds(i, word, n);
  }

  // The word's id, or nothing. `home` is below the capacity.
  std::optional<int64_t> find(const WordKey& key, uint64_t home, const uint8_t* word, int64_t n) const {
    for (uint64_t i = home; i < home + kMaxProbes; ++i) {
      const WordSlot slot = this->slot(i);
      const bool found = key.is_long() ? holds_long(i, key, word, n) : slot.high == key.high && slot.low == key.low;
      if (found && slot.id >= 0 && static_cast<uint64_t>(slot.id) < header.num_words) return slot.id;
      if (slot.high == kEmptyMark) break;
    }
    return std::nullopt;
  }
};

// The table in these bytes, or nothing if they are not a table.
inline std::optional<VocabTable> open_vocab_table(const uint8_t* table, int64_t num_bytes) {
  VocabTable t{};
  if (num_bytes < vocab_table_bytes(0, 0)) return std::nullopt;
  std::memcpy(&t.header, table, sizeof(t.header));
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the checks below use the copy; it is not read again
  const VocabHeader& h = t.header;
  const auto size = static_cast<uint64_t>(num_bytes);
  if (h.magic != VocabHeader::kMagic || h.capacity == 0 || h.capacity > UINT32_MAX || h.num_words > INT32_MAX ||
      h.text_bytes > size ||
      vocab_table_bytes(static_cast<int64_t>(h.capacity), static_cast<int64_t>(h.text_bytes)) != num_bytes) {
    return std::nullopt;
  }
  t.slots = table + sizeof(VocabHeader);
  t.text = table + (size - h.text_bytes);
  return t;
}

}  // namespace stringops::kernels
