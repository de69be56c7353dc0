#include "kernels/subword_words.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/utf8.h"

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

constexpr uint64_t kBeyondAscii = 0x8080808080808080;
// More if words that are not in the table take longer.
constexpr uint64_t kMaxLines = 4096, kMaxUnigramLines = 1 << 15;

// Lines of the cache for so many bytes: it is cleared in each call, so a short text gets a small one.
uint64_t cache_lines(int64_t num_bytes, uint64_t most) {
  uint64_t lines = 16;
  while (lines < most && lines * 64 < static_cast<uint64_t>(num_bytes)) lines *= 2;
  return lines;
}

simd::Merges merges_of(const Table& table) {
  simd::Merges merges{};
  merges.byte_ids = table.byte_ids.at;
  merges.byte_pairs = table.byte_pairs.at;
  merges.pairs = table.pairs.at;
  merges.made = table.made.at;
  merges.num_made = table.made.size;
  merges.key_xor = table.header.seed.high >> 22;
  merges.factor = table.header.seed.low | 1;
  merges.shift = table.header.pair_shift;
  return merges;
}

}  // namespace

SubwordWords::SubwordWords(const Table& table, int64_t num_bytes)
    : table_(table),
      simd_(simd::text_primitives()),
      merges_(merges_of(table)),
      merger_(table),
      cache_(cache_lines(num_bytes, table.unigram ? kMaxUnigramLines : kMaxLines)),
      cache_mask_(cache_.size() - 1) {
  for (uint64_t byte = 0; byte < 256; ++byte) {
    (byte < 0x80 ? has_all_ascii_ : has_all_bytes_) &= table.byte_ids[byte] != kNone;
  }
  has_all_ascii_ &= table.made.size > 0 && !table.unigram && !table.concatenation;
  has_all_bytes_ &= has_all_ascii_ && !table.characters;
}

void SubwordWords::reserve(int64_t num_ids) {
  const auto need = static_cast<size_t>(size_ + num_ids);
  if (ids_.size() < need) ids_.resize(std::max(need, 2 * ids_.size()));
}

void SubwordWords::encode(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins,
                          const uint32_t* ends, int64_t count, uint32_t* places) {
  const uint8_t* const slots = table_.short_words.at;
  const uint64_t mask = (table_.short_words.size - 1) & ~uint64_t{1};
  const HashSeed seed = table_.header.seed;
  for (int64_t k = 0; k < count; ++k) {
    const uint8_t* const word = text + begins[k];
    const uint32_t n = ends[k] - begins[k];
    simd::ShortWord& key = keys_[k];
    if (n <= kShortBytes && readable_end - word >= 16) {
      std::memcpy(&key, word, sizeof(key));
      key.low &= kKeyMasks.low[n];
      key.high = (key.high & kKeyMasks.high[n]) | kKeyMasks.length[n];
    } else {
      const WordIds one = n > kShortBytes ? WordIds{} : short_key(word, n);
      key = {one.low, one.high};
    }
    hashes_[k] = word_hash(key.low, key.high, seed);
    __builtin_prefetch(slots + (hashes_[k] & mask) * sizeof(WordIds));
  }

  uint16_t missed[kBatch + 1];
  int64_t num_missed = 0;
  const auto differs = [&](const uint8_t* slot, const simd::ShortWord& key) {
    simd::ShortWord stored;
    std::memcpy(&stored, slot, sizeof(stored));
    return ((stored.low ^ key.low) | (stored.high ^ key.high)) != 0;
  };
  for (int64_t k = 0; k < count; ++k) {  // without branches
    const simd::ShortWord key = keys_[k];
    const uint8_t* slot = slots + (hashes_[k] & mask) * sizeof(WordIds);
    slot += differs(slot, key) ? sizeof(WordIds) : 0;
    from_[k] = slot;
    missed[num_missed] = static_cast<uint16_t>(k);
    num_missed += differs(slot, key) | (key.high == 0);
  }
  num_own_ = 0;
  long_ids_.clear();
  if (num_missed > 0) find_missed(text, begins, ends, missed, num_missed);

  reserve(kMaxWordIds * (count + 1) + static_cast<int64_t>(long_ids_.size()));
  uint32_t* const ids = ids_.data();
  int64_t size = size_;
  for (int64_t k = 0; k < count; ++k) {
    places[k] = static_cast<uint32_t>(size);
    uint32_t some[4];
    std::memcpy(some, from_[k] + offsetof(WordIds, ids), sizeof(some));
    const uint32_t number = some[0] >> kIdBits;
    some[0] &= (1u << kIdBits) - 1;
    std::memcpy(ids + size, some, sizeof(some));
    if (__builtin_expect(number <= kMaxWordIds, 1)) {
      size += number;
      continue;
    }
    const bool is_own = from_[k] >= reinterpret_cast<const uint8_t*>(own_) &&
                        from_[k] < reinterpret_cast<const uint8_t*>(own_ + kBatch);
    if (!is_own) continue;  // a malformed table
    std::copy_n(long_ids_.data() + some[1], some[2], ids + size);
    size += some[2];
  }
  size_ = size;
}

// Where the ids are of words that were not in the first two slots of their search.
__attribute__((noinline)) void SubwordWords::find_missed(const uint8_t* text, const uint32_t* begins,
                                                         const uint32_t* ends, const uint16_t* missed, int64_t count) {
  uint16_t merged[kBatch], long_merged[kLongBatch];
  int64_t num_merged = 0, num_long_merged = 0;
  for (int64_t j = 0; j < count; ++j) {
    const int64_t k = missed[j];
    const simd::ShortWord key = keys_[k];
    WordIds& own = own_[num_own_++];
    from_[k] = reinterpret_cast<const uint8_t*>(&own);
    const int64_t n = ends[k] - begins[k];
    if (key.high == 0) {
      const uint8_t* const word = text + begins[k];
      if (find_long(word, n, own)) continue;
      if (n > simd::kMaxLongMerged || !(has_all_bytes_ || (has_all_ascii_ && is_ascii(word, n)))) {
        encode_long(word, n, own);
        continue;
      }
      long_words_[num_long_merged] = {word, static_cast<uint32_t>(n)};
      long_merged[num_long_merged++] = static_cast<uint16_t>(k);
      if (num_long_merged == kLongBatch) merge_long(long_merged, std::exchange(num_long_merged, 0));
      continue;
    }
    own = table_.find_short(key.low, key.high);
    if (own.high != 0) {
      if (own.ids[0] >> kIdBits > kMaxWordIds) own.ids[0] = 0;  // a malformed table
      continue;
    }
    const WordIds* const ways = line_of(k).ways;
    const int way = ways[0].low == key.low && ways[0].high == key.high   ? 0
                    : ways[1].low == key.low && ways[1].high == key.high ? 1
                                                                         : -1;
    if (way >= 0) {
      own = ways[way];
    } else if (has_all_bytes_ || (has_all_ascii_ && ((key.low | key.high) & kBeyondAscii) == 0)) {
      merged[num_merged++] = static_cast<uint16_t>(k);
    } else {
      encode_long(text + begins[k], n, own);
      remember(k, own);
    }
  }
  if (num_merged > 0) merge_missed(merged, num_merged);
  if (num_long_merged > 0) merge_long(long_merged, num_long_merged);
}

void SubwordWords::merge_missed(const uint16_t* missed, int64_t count) {
  for (int64_t j = 0; j < count; ++j) merged_[j] = keys_[missed[j]];
  simd_.merge_words(merges_, merged_, count, merged_ids_, merged_counts_);
  for (int64_t j = 0; j < count; ++j) {
    const int64_t k = missed[j];
    auto& own = const_cast<WordIds&>(*reinterpret_cast<const WordIds*>(from_[k]));
    keep(merged_ids_[j], merged_counts_[j], own);
    remember(k, own);
  }
}

void SubwordWords::merge_long(const uint16_t* missed, int64_t count) {
  simd_.merge_long_words(merges_, long_words_, count, merged_long_ids_, merged_counts_);
  for (int64_t j = 0; j < count; ++j) {
    keep(merged_long_ids_[j], merged_counts_[j],
         const_cast<WordIds&>(*reinterpret_cast<const WordIds*>(from_[missed[j]])));
  }
}

void SubwordWords::remember(int64_t k, const WordIds& own) {
  if (own.ids[0] >> kIdBits == kManyIds) return;
  Line& line = line_of(k);
  line.ways[1] = line.ways[0];
  line.ways[0] = {keys_[k].low, keys_[k].high, {own.ids[0], own.ids[1], own.ids[2], own.ids[3]}};
}

void SubwordWords::keep(const uint32_t* ids, int64_t count, WordIds& own) {
  if (count <= kMaxWordIds) {
    std::memcpy(own.ids, ids, sizeof(own.ids));
    own.ids[0] = (own.ids[0] & ((1u << kIdBits) - 1)) | static_cast<uint32_t>(count) << kIdBits;
    return;
  }
  own.ids[0] = kManyIds << kIdBits;
  own.ids[1] = static_cast<uint32_t>(long_ids_.size());
  own.ids[2] = static_cast<uint32_t>(count);
  long_ids_.insert(long_ids_.end(), ids, ids + count);
}

// Whether the table has a word that has no key.
bool SubwordWords::find_long(const uint8_t* word, int64_t n, WordIds& own) const {
  if (table_.wordpiece && table_.wordpiece->is_too_long({word, word + n})) return false;
  own = table_.find_long(word, n);
  if (own.ids[0] >> kIdBits > kMaxWordIds) own.ids[0] = 0;  // a malformed table
  return own.ids[0] >> kIdBits != 0;
}

// A word that is not in the table.
void SubwordWords::encode_long(const uint8_t* word, int64_t n, WordIds& own) {
  const size_t before = long_ids_.size();
  if (table_.wordpiece) {
    table_.wordpiece->encode({word, word + n}, long_ids_, nullptr);
  } else if (table_.unigram) {
    table_.unigram->encode({word, word + n}, scratch_, long_ids_, nullptr);
  } else if (table_.concatenation) {
    table_.concatenation->encode({word, word + n}, long_ids_, nullptr);
  } else {
    long_ids_.resize(before + static_cast<size_t>(n));
    long_ids_.resize(before + static_cast<size_t>(merger_.merge(word, n, long_ids_.data() + before)));
  }
  const size_t count = long_ids_.size() - before;
  if (count > 0 && count <= kMaxWordIds) {
    std::copy_n(long_ids_.begin() + static_cast<int64_t>(before), count, own.ids);
    // An id of a malformed table may have more bits.
    own.ids[0] = (own.ids[0] & ((1u << kIdBits) - 1)) | static_cast<uint32_t>(count) << kIdBits;
    long_ids_.resize(before);
    return;
  }
  own.ids[0] = kManyIds << kIdBits;
  own.ids[1] = static_cast<uint32_t>(before);
  own.ids[2] = static_cast<uint32_t>(count);
}

}  // namespace stringops::kernels
