// Types of the primitives of subword tokenizers.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/pair_table.h"

namespace stringops::simd {

// Classes of 64 bytes of text, one bit per byte. All but `beyond` contain only ASCII.
struct AsciiMasks {
  uint64_t letters;
  uint64_t numbers;
  uint64_t spaces;  // \s
  uint64_t newlines;
  uint64_t blanks;  // U+0020
  uint64_t apostrophes;
  uint64_t controls;  // except tabs and newlines
  uint64_t beyond;    // bytes that are not ASCII
};

// A word of at most kMaxMerged bytes: its bytes, zeros after them, and its length in the last byte.
struct ShortWord {
  uint64_t low;
  uint64_t high;

  uint32_t size() const { return static_cast<uint32_t>(high >> 56); }
};
constexpr uint32_t kMaxMerged = 15;

// A longer word, of at most kMaxLongMerged bytes.
struct LongWord {
  const uint8_t* begin;
  uint32_t size;
};
constexpr uint32_t kMaxLongMerged = 64;
using LongIds = uint32_t[kMaxLongMerged + 16];  // there is room for whole vectors

// The merges of a subword table (subword/table.h), at any addresses.
struct Merges {
  const uint8_t* byte_ids;    // uint32_t [256]
  const uint8_t* byte_pairs;  // uint32_t [65536]
  PairTable pairs;
  const uint8_t* made;  // uint32_t [num_made]
  uint64_t num_made;    // at least 1

  template <class T>
  static T load(const uint8_t* at, uint64_t i) {
    T value;
    std::memcpy(&value, at + i * sizeof(T), sizeof(T));
    return value;
  }
};

}  // namespace stringops::simd
