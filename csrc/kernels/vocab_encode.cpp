#include "kernels/vocab_encode.h"

#include <algorithm>

#include "core/bits.h"
#include "kernels/word_batch.h"

namespace stringops::kernels {
namespace {

int64_t unknown_id(const VocabTable& table, const uint8_t* word, int64_t num_bytes, const UnknownWords& unknown) {
  if (unknown.num_buckets == 0) return unknown.id;
  const uint64_t bucket = stable_hash(word, num_bytes) % static_cast<uint64_t>(unknown.num_buckets);
  return static_cast<int64_t>(table.header.num_words + bucket);
}

__attribute__((noinline)) int64_t search(const VocabTable& table, const WordBatch& batch, int64_t j,
                                         const UnknownWords& unknown) {
  const uint8_t* const word = batch.bytes(j);
  if (const auto id = table.find(batch.key(j), batch.home(j), word, batch.size(j))) return *id;
  return unknown_id(table, word, batch.size(j), unknown);
}

}  // namespace

int64_t find_vocab_id(const VocabTable& table, const uint8_t* word, int64_t num_bytes, const UnknownWords& unknown) {
  const WordKey key = make_key(word, num_bytes, table.header.seed);
  const uint64_t home = home_slot(key, table.header.seed, table.header.capacity);
  if (const auto id = table.find(key, home, word, num_bytes)) return *id;
  return unknown_id(table, word, num_bytes, unknown);
}

void write_vocab_ids(const VocabTable& table, const StringSpan& in, int64_t first, int64_t last,
                     const UnknownWords& unknown, int64_t* ids) {
  WordBatch batch(in, first, table.header.seed);
  for (; first < last; first += WordBatch::kSize) {
    const int64_t n = std::min(WordBatch::kSize, last - first);
    int64_t* const out = ids + first;
    batch.next(n, table.slots, table.header.capacity);
    const uint64_t long_words = batch.long_words();
    // Few words are not at home, but which ones is as good as random: found without a branch, then searched for.
    const uint64_t elsewhere = batch.match(table.slots, n, out) & ~long_words;
    for_each_bit(&long_words, 1, [&](int64_t j) { table.prefetch_long(batch.home(j)); });
    for_each_bit(&long_words, 1, [&](int64_t j) { out[j] = search(table, batch, j, unknown); });
    for_each_bit(&elsewhere, 1, [&](int64_t j) { out[j] = search(table, batch, j, unknown); });
  }
}

}  // namespace stringops::kernels
