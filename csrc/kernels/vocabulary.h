// Vocabularies: building the lookup table, looking strings up in it, and distinct strings.
//
// The lookup table of a vocabulary is one buffer, made by vocab_build, searched by vocab_encode:
//
//   VocabHeader    64 bytes
//   slots          of words of 28 to 59 bytes, of 12 to 27, of up to 11, and of more than 59
//   pilots         one byte for each bucket, of the same four parts, in the order of their lengths
//   long words     of more than 59 bytes: each its length (uint32), its bytes; text_bytes in all
//
// A word has one slot, so that a lookup is one comparison, whether the word is there or not. Its hash selects a bucket
// of about three words; the builder of the table tries pilots until the words of a bucket, each with a second hash,
// have free slots (PTHash, "compress, hash and displace").
//
// A slot has the word's bytes, zeros up to its last five bytes, the length (one byte) and the id (int32): of 16 bytes,
// that is a WordSlot. In a slot of a word of more than 59 bytes, `low` has 32 bits of the hash in its upper half, and
// the word's position among the long words in its lower half.
//
// vocab_encode gets the table as a tensor, so it may be malformed. `open_vocab_table` checks the header against the
// size. Slots are not checked in advance (a call with two strings must not pay for a million words), so every value
// read from one is checked before use: a malformed table gives wrong ids, never a read out of bounds.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "core/string_span.h"
#include "core/word_key.h"
#include "driver/runner.h"
#include "simd/key_types.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Words by their lengths.
constexpr size_t kWordClasses = 4;
constexpr std::array<int64_t, kWordClasses> kSlotBytes{16, 32, 64, 16};
constexpr size_t kTextClass = 3;  // words whose bytes are not in their slots

static_assert(kSlotBytes[1] - 5 == kMediumBytes && kSlotBytes[2] - 5 == kLargeBytes);

inline size_t class_of_word(int64_t num_bytes) {
  return size_t{num_bytes > kInlineBytes} + size_t{num_bytes > kMediumBytes} + size_t{num_bytes > kLargeBytes};
}

struct VocabHeader {
  static constexpr uint64_t kMagic = 0x3530626163564f53;  // "SOVcab05"; also rejects the other byte order
  uint64_t magic;
  uint64_t num_words;
  uint64_t text_bytes;
  HashSeed seed;
  std::array<uint32_t, kWordClasses> capacities;  // at least 1
  uint64_t unused;
};
static_assert(sizeof(VocabHeader) == 64);

// A third of the slots are free, so that pilots are found soon.
inline uint32_t vocab_capacity(int64_t num_words) {
  return static_cast<uint32_t>(num_words + num_words / 2 + 1);
}
inline int64_t vocab_buckets(uint32_t capacity) {
  return int64_t{capacity} / 4 + 1;
}

// The positions of the parts of a table.
struct VocabLayout {
  std::array<int64_t, kWordClasses> slots, pilots;
  int64_t text;

  explicit VocabLayout(const std::array<uint32_t, kWordClasses>& capacities) {
    text = sizeof(VocabHeader);
    for (const size_t c : {2, 1, 0, 3}) {
      slots[c] = text;
      text += capacities[c] * kSlotBytes[c];
    }
    for (size_t c = 0; c < kWordClasses; ++c) {
      pilots[c] = text;
      text += vocab_buckets(capacities[c]);
    }
  }
};

struct VocabTable {
  VocabHeader header;  // a copy
  std::array<simd::PilotedSlots, kWordClasses> classes;
  const uint8_t* text;

  const uint8_t* slot(size_t c, uint64_t i) const {
    return classes[c].slots + i * static_cast<uint64_t>(kSlotBytes[c]);
  }

  // Whether a slot of class kTextClass holds the word of n bytes.
  bool holds_text(const uint8_t* at, const WordKey& key, const uint8_t* word, int64_t n) const {
    WordSlot slot;
    std::memcpy(&slot, at, sizeof(slot));
    if (slot.high != key.high || (slot.low ^ key.low) >> 32 != 0) return false;
    const uint64_t begin = slot.low & 0xffffffff, need = sizeof(uint32_t) + static_cast<uint64_t>(n);
    if (need > header.text_bytes || begin > header.text_bytes - need) return false;
    uint32_t length;
    std::memcpy(&length, text + begin, sizeof(length));
    return length == n && equal_long(text + begin + sizeof(length), word, n);
  }

  // The id of the word in its slot, or nothing.
  std::optional<int64_t> find_at(const uint8_t* at, size_t c, const WordKey& key, const uint8_t* word,
                                 int64_t n) const {
    const auto holds = [&] {
      if (c == kTextClass) return holds_text(at, key, word, n);
      if (*simd::length_in_slot(at, kSlotBytes[c]) != n) return false;
      return n > kInlineBytes ? equal_long(at, word, n) : n == 0 || std::memcmp(at, word, static_cast<size_t>(n)) == 0;
    };
    if (!holds()) return std::nullopt;
    return simd::id_in_slot(at, kSlotBytes[c]);
  }
};

// The table in these bytes, or nothing if they are not a table.
inline std::optional<VocabTable> open_vocab_table(const uint8_t* table, int64_t num_bytes) {
  VocabTable t{};
  if (num_bytes < int64_t{sizeof(VocabHeader)}) return std::nullopt;
  std::memcpy(&t.header, table, sizeof(t.header));
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the checks below use the copy; it is not read again
  const VocabHeader& h = t.header;
  const auto size = static_cast<uint64_t>(num_bytes);
  const VocabLayout layout(h.capacities);
  if (h.magic != VocabHeader::kMagic || h.num_words > INT32_MAX || h.text_bytes > size ||
      layout.text + static_cast<int64_t>(h.text_bytes) != num_bytes ||
      *std::min_element(h.capacities.begin(), h.capacities.end()) == 0) {
    return std::nullopt;
  }
  for (size_t c = 0; c < kWordClasses; ++c) {
    t.classes[c] = {table + layout.slots[c], table + layout.pilots[c],
                    static_cast<uint64_t>(vocab_buckets(h.capacities[c])), h.capacities[c]};
  }
  t.text = table + layout.text;
  return t;
}

// Checks, before a table of 24 bytes per word or more is allocated, that this number of bytes can hold this many
// distinct words.
void check_distinct(const char* op, const StringSpan& words);

// The size in bytes of the table for these words, of rank 1.
int64_t measure_vocab_table(const StringSpan& words);

// Fills a table of that size. Word i gets id i. Equal vocabularies have equal tables.
void write_vocab_table(const char* op, const StringSpan& words, uint8_t* table, int64_t num_bytes);

// allocate(num_bytes) -> uint8_t*.
template <class Allocate>
void build_vocab(const char* op, const StringSpan& words, Allocate&& allocate) {
  check_distinct(op, words);
  const int64_t num_bytes = measure_vocab_table(words);
  write_vocab_table(op, words, allocate(num_bytes), num_bytes);
}

// The ids of words that are not in the vocabulary: `id`, or with buckets num_words + stable_hash(word) % num_buckets.
struct UnknownWords {
  int64_t id;
  int64_t num_buckets;
};

// A text that has words. As many bytes as they have are prefetched from `upcoming` on, which is read afterwards; null
// prefetches nothing.
struct WordsText {
  const uint8_t* data;
  int64_t num_bytes;
  const uint8_t* upcoming;
};

class VocabLookup {
 public:
  VocabLookup(const VocabTable& table, const UnknownWords& unknown) : table_(table), unknown_(unknown) {}

  // Writes the ids of strings [first, last), in row-major order, to out[0, last - first).
  void encode_some(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const;

  // Writes the ids of `count` words of one text to out[0, count): word j has sizes[j] bytes from begins[j]. Both arrays
  // have room for WordBatch::kSize numbers more, and may be changed.
  void encode_words(const WordsText& words, uint32_t* begins, uint32_t* sizes, int64_t count, int64_t* out) const;

  int64_t encode_one(const uint8_t* word, int64_t num_bytes) const;

 private:
  int64_t unknown_id(const uint8_t* word, int64_t num_bytes) const;
  void encode_batch(class WordBatch& batch, int64_t n, int64_t* out) const;
  void locate_short(class WordBatch& batch, int64_t n) const;

  const VocabTable table_;
  const UnknownWords unknown_;
};

// Writes the id of each string.
void encode_strings(const Runner& runner, const StringSpan& in, const VocabLookup& lookup, int64_t* ids);

struct UniqueStrings {
  // For each distinct string, the byte range of its first appearance, and the number of strings that equal it.
  std::vector<PackedRange> ranges;
  std::vector<uint32_t> counts;
  int64_t num_bytes = 0;  // of all distinct strings

  int64_t size() const { return static_cast<int64_t>(ranges.size()); }
};

// Finds the distinct strings in order of first appearance, and writes the id of each string to inverse[0, in.size()).
UniqueStrings find_unique(const Runner& runner, const StringSpan& in, int64_t* inverse);

// Sorts the distinct strings by bytes, or by counts, the largest first; changes the ids of inverse[0, in.size())
// accordingly.
void sort_unique(const StringSpan& in, UniqueStrings& unique, int64_t* inverse, bool by_count);

struct UniqueOutput {
  uint8_t* data;     // [num_bytes]
  int32_t* offsets;  // [size + 1]
  int64_t* counts;   // [size]
};

void write_unique(const StringSpan& in, const UniqueStrings& unique, const UniqueOutput& out);

// A table of the distinct strings, made from a copy, which no other thread writes; and the id of each string in it.
struct DistinctTable {
  std::vector<uint8_t> table;
  std::vector<int64_t> ids;
};

DistinctTable tabulate_distinct(const char* op, const StringSpan& strings);

}  // namespace stringops::kernels
