#include "kernels/vocab_encode.h"

#include <algorithm>

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
  if (const auto id = table.find(batch.key(j), batch[j].home, word, batch.size(j))) return *id;
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
  int64_t elsewhere[WordBatch::kSize];
  while (first < last) {
    const int64_t n = std::min(WordBatch::kSize, last - first);
    batch.next(n, table.slots, table.header.capacity);
    int64_t num_elsewhere = 0;
    for (int64_t j = 0; j < n; ++j) {
      const WordBatch::Word& word = batch[j];
      const WordSlot slot = table.slot(word.home);
      ids[first + j] = slot.id;
      // No branch on the outcome: which words are not at home is as good as random.
      const auto differs = static_cast<int>(slot.low != word.low) | static_cast<int>(slot.high != word.high);
      elsewhere[num_elsewhere] = j;
      num_elsewhere += differs & static_cast<int>(word.high != kNoMark);
    }
    for (int64_t i = 0; i < batch.num_long(); ++i) table.prefetch_long(batch[batch.long_one(i)].home);
    for (int64_t i = 0; i < batch.num_long(); ++i) {
      const int64_t j = batch.long_one(i);
      const WordSlot slot = table.slot(batch[j].home);
      ids[first + j] = slot.id;
      elsewhere[num_elsewhere] = j;
      num_elsewhere += !table.holds_long(slot, batch.key(j), batch.bytes(j), batch.size(j));
    }
    for (int64_t i = 0; i < num_elsewhere; ++i) {
      ids[first + elsewhere[i]] = search(table, batch, elsewhere[i], unknown);
    }
    first += n;
  }
}

}  // namespace stringops::kernels
