#include "kernels/subword_words.h"

#include <algorithm>
#include <cstring>

namespace stringops::kernels {

using namespace subword;

namespace {

// Masks for the 16 bytes at a word of at most kShortBytes, and what is added to them: its length.
struct KeyMasks {
  uint64_t low[16] = {}, high[16] = {}, length[16] = {};

  constexpr KeyMasks() {
    for (int n = 0; n < 16; ++n) {
      low[n] = n >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * n) - 1;
      high[n] = n <= 8 ? 0 : (uint64_t{1} << 8 * (n - 8)) - 1;
      length[n] = static_cast<uint64_t>(n) << 56;
    }
  }
};
constexpr KeyMasks kKeyMasks;

// Lines of the cache for so many bytes: it is cleared in each call, so a short text gets a small one.
uint64_t cache_lines(int64_t num_bytes) {
  constexpr uint64_t kMost = 4096;
  uint64_t lines = 16;
  while (lines < kMost && lines * 64 < static_cast<uint64_t>(num_bytes)) lines *= 2;
  return lines;
}

}  // namespace

SubwordWords::SubwordWords(const Table& table, int64_t num_bytes)
    : table_(table), merger_(table), cache_(cache_lines(num_bytes)), cache_mask_(cache_.size() - 1) {}

void SubwordWords::reserve(int64_t num_ids) {
  const auto need = static_cast<size_t>(size_ + num_ids);
  if (ids_.size() < need) ids_.resize(std::max(need, 2 * ids_.size()));
}

void SubwordWords::append(const uint32_t* ids, uint32_t count) {
  uint32_t* const out = ids_.data() + size_;
  std::memcpy(out, ids, sizeof(WordIds::ids));
  out[0] &= (1u << kIdBits) - 1;
  size_ += std::min(count, static_cast<uint32_t>(kMaxWordIds));
}

void SubwordWords::encode(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins, int64_t count,
                          uint32_t* places) {
  struct Key {
    uint64_t low, high, hash;
  };
  Key keys[kBatch];
  const uint8_t* const slots = table_.short_words.at;
  const uint64_t mask = (table_.short_words.size - 1) & ~uint64_t{1};
  const HashSeed seed = table_.header.seed;
  for (int64_t k = 0; k < count; ++k) {
    const uint8_t* const word = text + begins[k];
    const uint32_t n = begins[k + 1] - begins[k];
    Key& key = keys[k];
    if (n > kShortBytes || readable_end - word < 16) {
      const WordIds one = n > kShortBytes ? WordIds{} : short_key(word, n);
      key.low = one.low;
      key.high = one.high;
    } else {
      uint64_t halves[2];
      std::memcpy(halves, word, sizeof(halves));
      key.low = halves[0] & kKeyMasks.low[n];
      key.high = (halves[1] & kKeyMasks.high[n]) | kKeyMasks.length[n];
    }
    key.hash = word_hash(key.low, key.high, seed);
    __builtin_prefetch(slots + (key.hash & mask) * sizeof(WordIds));
  }
  reserve(16 * count + 16);
  for (int64_t k = 0; k < count; ++k) {
    places[k] = static_cast<uint32_t>(size_);
    const Key& key = keys[k];
    const uint8_t* slot = slots + (key.hash & mask) * sizeof(WordIds);
    uint64_t stored[4];
    std::memcpy(stored, slot, 16);
    std::memcpy(stored + 2, slot + sizeof(WordIds), 16);
    const bool first = stored[0] == key.low && stored[1] == key.high;
    const bool second = stored[2] == key.low && stored[3] == key.high;
    if (__builtin_expect((first || second) && key.high != 0, 1)) {
      slot += first ? 0 : sizeof(WordIds);
      uint32_t ids[4];
      std::memcpy(ids, slot + offsetof(WordIds, ids), sizeof(ids));
      append(ids, ids[0] >> kIdBits);
      continue;
    }
    encode_missed(text + begins[k], begins[k + 1] - begins[k], {key.low, key.high, {}}, key.hash);
    reserve(16 * (count - k) + 16);
  }
}

__attribute__((noinline)) void SubwordWords::encode_missed(const uint8_t* word, int64_t n, const WordIds& key,
                                                           uint64_t hash) {
  if (key.high == 0) {
    const WordIds known = table_.find_long(word, n);
    if (known.ids[0] >> kIdBits != 0) return append(known.ids, known.ids[0] >> kIdBits);
    reserve(n);
    size_ += merger_.merge(word, n, ids_.data() + size_);
    return;
  }
  const WordIds known = table_.find_short(key.low, key.high);
  if (known.high != 0) return append(known.ids, known.ids[0] >> kIdBits);
  Line& line = cache_[hash >> 40 & cache_mask_];
  for (const WordIds& way : line.ways) {
    if (way.low == key.low && way.high == key.high) return append(way.ids, way.ids[0] >> kIdBits);
  }
  uint32_t* const out = ids_.data() + size_;
  const int64_t count = merger_.merge(word, n, out);
  size_ += count;
  if (count == 0 || count > kMaxWordIds) return;
  line.ways[1] = line.ways[0];
  WordIds& way = line.ways[0];
  way = key;
  for (int64_t i = 0; i < count; ++i) way.ids[i] = out[i] & ((1u << kIdBits) - 1);
  way.ids[0] |= static_cast<uint32_t>(count) << kIdBits;
}

}  // namespace stringops::kernels
