// The types of arguments of primitives on words and on tables of words (core/word_key.h).
#pragma once

#include <cstdint>
#include <cstring>

#include "core/word_key.h"

namespace stringops::simd {

struct WordSeeds {
  explicit WordSeeds(const HashSeed& s) : seed(s), parts(s) {}
  HashSeed seed;
  PartSeeds parts;
};

// Slots of words in a table without collisions: the buckets' pilots, and the number of slots.
struct PilotedSlots {
  const uint8_t* slots;
  const uint8_t* pilots;
  uint64_t num_buckets;
  uint64_t capacity;

  uint32_t find(uint32_t home, uint32_t second) const {
    return piloted_slot(second, pilots[scale_hash(home, num_buckets)], capacity);
  }
};

// Masks of a batch. Bit j tells that word j has more than kInlineBytes; more than kMediumBytes; more than kLargeBytes;
// more than kLaneBytes, so that its key is not computed yet.
struct LongWords {
  uint64_t all = 0;
  uint64_t large = 0;
  uint64_t huge = 0;
  uint64_t without_key = 0;

  // Few words are best handled one by one, because it is unpredictable which groups of a vector have one.
  static constexpr int kFew = 6;
};

// Returns the address of the length in the slot of a long word, which has the word's bytes, zeros up to the last five
// bytes, the length and the id (int32).
inline const uint8_t* length_in_slot(const uint8_t* slot, int64_t slot_bytes) {
  return slot + slot_bytes - 5;
}

inline int64_t id_in_slot(const uint8_t* slot, int64_t slot_bytes) {
  int32_t id;
  std::memcpy(&id, slot + slot_bytes - 4, sizeof(id));
  return id;
}

}  // namespace stringops::simd
