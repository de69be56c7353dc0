#include <algorithm>
#include <array>

#include "core/bits.h"
#include "kernels/driver/word_batch.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {
namespace {
// Texts of up to 256 KB are mostly in the second-level cache.
constexpr uint64_t kNearText = 1 << 18;
}  // namespace

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

// Looks up the next n strings of the batch.
void VocabLookup::encode_batch(WordBatch& batch, int64_t n, int64_t* out) const {
  batch.next(n, table_.slots, table_.header.capacity);
  const auto [found, absent] = batch.search(table_.slots, n, unknown_.id, out);
  const uint64_t long_found = found & batch.long_words();
  uint64_t others = low_bits(n) & ~(found | absent);
  if (table_.header.text_bytes > kNearText) {
    for_each_bit(&long_found, 1, [&](int64_t j) { table_.prefetch_long(batch.home(j)); });
  }
  // Searches that have not ended, or ended at a word of equal hash, are rare.
  others |= long_found & ~batch.equal_texts(table_.texts(), long_found);
  for_each_bit(&others, 1, [&](int64_t j) { out[j] = encode_one(batch.bytes(j), batch.size(j)); });
  if (unknown_.num_buckets > 0) {
    for_each_bit(&absent, 1, [&](int64_t j) { out[j] = unknown_id(batch.bytes(j), batch.size(j)); });
  }
}

void VocabLookup::encode_some(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  WordBatch batch(in, first, table_.header.seed);
  for (; first < last; first += WordBatch::kSize, out += WordBatch::kSize) {
    encode_batch(batch, std::min(WordBatch::kSize, last - first), out);
  }
}

void VocabLookup::encode_some(const StringSpan& in, int64_t first, int64_t last, int32_t* out) const {
  WordBatch batch(in, first, table_.header.seed, false);
  std::array<int64_t, WordBatch::kSize> ids;
  for (; first < last; first += WordBatch::kSize, out += WordBatch::kSize) {
    const int64_t n = std::min(WordBatch::kSize, last - first);
    encode_batch(batch, n, ids.data());
    for (int64_t j = 0; j < n; ++j) out[j] = static_cast<int32_t>(ids[static_cast<size_t>(j)]);
  }
}

bool VocabLookup::has_short_ids() const {
  // The number of words is at most INT32_MAX.
  const bool has_short_buckets = static_cast<uint64_t>(unknown_.num_buckets) <= INT32_MAX - table_.header.num_words;
  return has_short_buckets && unknown_.id >= INT32_MIN && unknown_.id <= INT32_MAX;
}

void encode_strings(const Runner& runner, const StringSpan& in, const VocabLookup& lookup, int64_t* ids) {
  runner.run_ranges(in.size(), runner.time_of(in, {6, 0.1}),
                    [&](int64_t first, int64_t last) { lookup.encode(in, first, last, ids); });
}

}  // namespace stringops::kernels
