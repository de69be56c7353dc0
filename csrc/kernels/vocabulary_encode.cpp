#include <algorithm>
#include <array>

#include "core/bits.h"
#include "core/prefetch.h"
#include "driver/key_batch.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {
namespace {

// Slots of up to 1 MB are mostly in the first- and second-level caches.
constexpr uint64_t kNearSlots = 1 << 20;

// Prefetches for the ids of a later batch. Its stores, a few at a time, would wait for memory.
void prefetch_ids(const int64_t* out) {
  constexpr uintptr_t kAhead = 1024;  // bytes
  constexpr uintptr_t kBytes = WordBatch::kSize * sizeof(int64_t);
  const uintptr_t first = reinterpret_cast<uintptr_t>(out) + kAhead;
  for (uintptr_t at = first; at < first + kBytes; at += 64) prefetch_to_write(reinterpret_cast<const void*>(at));
}

// Prefetches text that is read afterwards: blocks are too short for the processor's own prefetching.
void prefetch_upcoming(const WordsText& words, uint32_t first, uint32_t last) {
  constexpr uint32_t kMaxBytes = 4096;
  if (!words.upcoming) return;
  const uintptr_t text = reinterpret_cast<uintptr_t>(words.upcoming), end = text + std::min(last, first + kMaxBytes);
  for (uintptr_t at = text + first; at < end; at += 64) prefetch(at);
}

}  // namespace

int64_t VocabLookup::unknown_id(const uint8_t* word, int64_t num_bytes) const {
  if (unknown_.num_buckets == 0) return unknown_.id;
  const uint64_t bucket = stable_hash(word, num_bytes) % static_cast<uint64_t>(unknown_.num_buckets);
  return static_cast<int64_t>(table_.header.num_words + bucket);
}

int64_t VocabLookup::encode_one(const uint8_t* word, int64_t num_bytes) const {
  const HashSeed& seed = table_.header.seed;
  const WordKey key = make_key(word, num_bytes, seed);
  const size_t c = class_of_word(num_bytes);
  const uint32_t slot = table_.classes[c].find(home_slot(key, seed, kAllHomes), second_hash(key, seed));
  const auto id = table_.find_at(table_.slot(c, slot), c, key, word, num_bytes);
  return id ? *id : unknown_id(word, num_bytes);
}

// Looks up the n words of the batch.
void VocabLookup::encode_batch(WordBatch& batch, int64_t n, int64_t* out) const {
  const simd::LongWords& words = batch.long_words();
  // Long words are located one by one; their slots are prefetched while others are looked up.
  std::array<uint32_t, WordBatch::kSize> slots;
  for_each_bit(&words.all, 1, [&](int64_t j) {
    const size_t c = class_of_word(batch.size(j));
    const uint32_t slot = slots[static_cast<size_t>(j)] = batch.locate_one(table_.classes[c], j);
    prefetch(table_.slot(c, slot));
  });
  uint64_t found = 0;
  if (words.all == low_bits(n)) {
    std::fill_n(out, n, unknown_.id);
  } else {
    locate_short(batch, n);
    found = batch.find(table_.classes[0].slots, n, unknown_.id, out);
  }
  const auto find_class = [&](size_t c, uint64_t of_class) {
    found |= batch.find_long(table_.classes[c].slots, kSlotBytes[c], slots.data(), of_class, out);
  };
  find_class(1, words.all & ~words.large);
  find_class(2, words.large & ~words.huge);
  for_each_bit(&words.huge, 1, [&](int64_t j) {
    const uint8_t* const slot = table_.slot(kTextClass, batch.locate_one(table_.classes[kTextClass], j));
    const auto id = table_.find_at(slot, kTextClass, batch.key(j), batch.bytes(j), batch.size(j));
    if (!id) return;
    out[j] = *id;
    found |= uint64_t{1} << j;
  });
  if (unknown_.num_buckets > 0) {
    const uint64_t absent = low_bits(n) & ~found;
    for_each_bit(&absent, 1, [&](int64_t j) { out[j] = unknown_id(batch.bytes(j), batch.size(j)); });
  }
}

// Finds the slots of the short words, and maybe prefetches them.
void VocabLookup::locate_short(WordBatch& batch, int64_t n) const {
  batch.locate(table_.classes[0], n);
  if (table_.classes[0].capacity * static_cast<uint64_t>(kSlotBytes[0]) <= kNearSlots) return;
  for (int64_t j = 0; j < n; ++j) prefetch(table_.slot(0, batch.slots()[j]));
}

void VocabLookup::encode_some(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  StringBatch batch(in, first, table_.header.seed);
  for (; first < last; first += WordBatch::kSize, out += WordBatch::kSize) {
    const int64_t n = std::min(WordBatch::kSize, last - first);
    prefetch_ids(out);
    batch.next(n, kAllHomes);
    encode_batch(batch, n, out);
  }
}

void VocabLookup::encode_words(const WordsText& words, uint32_t* begins, uint32_t* sizes, int64_t count,
                               int64_t* out) const {
  WordBatch batch(table_.header.seed);
  for (int64_t j = 0; j < count; j += WordBatch::kSize) {
    const int64_t n = std::min(WordBatch::kSize, count - j);
    prefetch_upcoming(words, begins[j], begins[j + n - 1]);
    batch.load(words.data, words.num_bytes, begins + j, sizes + j, n, kAllHomes);
    prefetch_ids(out + j);
    encode_batch(batch, n, out + j);
  }
}

void encode_strings(const Runner& runner, const StringSpan& in, const VocabLookup& lookup, int64_t* ids) {
  runner.run_ranges(in.size(), runner.time_of(in, {6, 0.1}),
                    [&](int64_t first, int64_t last) { lookup.encode_some(in, first, last, ids + first); });
}

}  // namespace stringops::kernels
