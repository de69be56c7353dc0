// Vocabularies: building the lookup table (layout: vocabulary_table.h), looking strings up in it, and distinct strings.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "driver/runner.h"
#include "kernels/vocabulary_table.h"

namespace stringops::kernels {

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
