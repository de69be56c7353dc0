#include <algorithm>

#include "core/bits.h"
#include "kernels/driver/word_batch.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {

int64_t VocabLookup::unknown_id(const uint8_t* word, int64_t num_bytes) const {
  if (unknown_.num_buckets == 0) return unknown_.id;
  const uint64_t bucket = stable_hash(word, num_bytes) % static_cast<uint64_t>(unknown_.num_buckets);
  return static_cast<int64_t>(table_.header.num_words + bucket);
}

int64_t VocabLookup::encode_one(const uint8_t* word, int64_t num_bytes) const {
  const WordKey key = make_key(word, num_bytes, table_.header.seed);
  const uint64_t home = home_slot(key, table_.header.seed, table_.header.capacity);
  if (const auto id = table_.find(key, home, word, num_bytes)) return *id;
  return unknown_id(word, num_bytes);
}

__attribute__((noinline)) int64_t VocabLookup::search(const WordBatch& batch, int64_t j) const {
  const uint8_t* const word = batch.bytes(j);
  if (const auto id = table_.find(batch.key(j), batch.home(j), word, batch.size(j))) return *id;
  return unknown_id(word, batch.size(j));
}

void VocabLookup::encode(const StringSpan& in, int64_t first, int64_t last, int64_t* ids) const {
  WordBatch batch(in, first, table_.header.seed);
  for (; first < last; first += WordBatch::kSize) {
    const int64_t n = std::min(WordBatch::kSize, last - first);
    int64_t* const out = ids + first;
    batch.next(n, table_.slots, table_.header.capacity);
    const uint64_t long_words = batch.long_words();
    // Few words are not in their home slot, but which is unpredictable, so the others are matched without branches.
    const uint64_t elsewhere = batch.match(table_.slots, n, out) & ~long_words;
    for_each_bit(&long_words, 1, [&](int64_t j) { table_.prefetch_long(batch.home(j)); });
    for_each_bit(&long_words, 1, [&](int64_t j) { out[j] = search(batch, j); });
    for_each_bit(&elsewhere, 1, [&](int64_t j) { out[j] = search(batch, j); });
  }
}

void encode_strings(const Runner& runner, const StringSpan& in, const VocabLookup& lookup, int64_t* ids) {
  runner.run_ranges(in.size(), runner.time_of(in, {6, 0.1}),
                    [&](int64_t first, int64_t last) { lookup.encode(in, first, last, ids); });
}

}  // namespace stringops::kernels
