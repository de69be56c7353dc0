#include "subword/run/word_ids.h"

#include <algorithm>
#include <cstring>

#include "core/prefetch.h"

namespace stringops::kernels {

using namespace subword;

namespace {

// More if words that are not in the table take longer.
constexpr uint64_t kMaxLines = 4096, kMaxUnigramLines = 1 << 15;

bool is_empty(const uint8_t* slot) {
  uint64_t high;
  std::memcpy(&high, slot + offsetof(WordIds, high), sizeof(high));
  return high == 0;
}

// Bytes of words whose limits are found: longer ones are encoded once, after those before them.
constexpr int64_t kMaxLimited = 64;

// Lines of the cache for so many bytes: it is cleared in each call, so a short text gets a small one.
uint64_t cache_lines(int64_t num_bytes, uint64_t most) {
  uint64_t lines = 16;
  while (lines < most && lines * 64 < static_cast<uint64_t>(num_bytes)) lines *= 2;
  return lines;
}

}  // namespace

SubwordWords::SubwordWords(const Table& table, int64_t num_bytes)
    : table_(table),
      merger_(table),
      has_sums_(table.unigram && table.unigram->has_words()),
      cache_(cache_lines(num_bytes, table.unigram ? kMaxUnigramLines : kMaxLines)),
      cache_mask_(cache_.size() - 1),
      kept_(num_bytes, table.header.seed.low) {}

void SubwordWords::reserve(int64_t num_ids) {
  const auto need = static_cast<size_t>(size_ + num_ids);
  if (ids_.size() < need) ids_.resize(std::max(need, 2 * ids_.size()));
}

void SubwordWords::encode(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins,
                          const uint32_t* ends, int64_t count, std::vector<uint32_t>& first) {
  size_ = 0;
  if (places_.size() <= static_cast<size_t>(count)) places_.resize(static_cast<size_t>(count) + 1);
  for (int64_t k = 0; k < count; k += kBatch) {
    encode_batch(text, readable_end, begins + k, ends + k, std::min(kBatch, count - k), places_.data() + k);
  }
  places_[static_cast<size_t>(count)] = static_cast<uint32_t>(size_);
  for (uint32_t& place : first) place = places_[place];
}

void SubwordWords::encode_batch(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins,
                                const uint32_t* ends, int64_t count, uint32_t* places) {
  pace_.spend(kStepsOfBatch);
  uint16_t missed[kBatch + 1];
  find_slots(text, readable_end, begins, ends, count);
  const int64_t num_missed = compare_slots(count, missed);
  num_own_ = 0;
  long_ids_.clear();
  if (num_missed > 0) find_missed(text, begins, ends, missed, num_missed);

  reserve(kMaxWordIds * (count + 1) + static_cast<int64_t>(long_ids_.size()));
  if (has_sums_) return write_summed_ids(text, begins, ends, count, places);
  write_ids(count, places);
}

void SubwordWords::write_ids(int64_t count, uint32_t* places) {
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
    if (!is_own(k)) continue;  // a malformed table
    std::copy_n(long_ids_.data() + some[1], some[2], ids + size);
    size += some[2];
  }
  size_ = size;
}

// Same as above for words that have limits.
void SubwordWords::write_summed_ids(const uint8_t* text, const uint32_t* begins, const uint32_t* ends, int64_t count,
                                    uint32_t* places) {
  const auto next_begin = [&] { return texts_ && next_text_ < texts_->size() ? (*texts_)[next_text_] : UINT32_MAX; };
  uint32_t* ids = ids_.data();
  int64_t size = size_, origin = origin_;
  uint32_t next = next_begin();
  for (int64_t k = 0; k < count; ++k) {
    for (; __builtin_expect(next <= begins[k], 0); next = next_begin()) {
      sum_ = 0;
      summed_ = size;
      origin = begins[k];
      ++next_text_;
    }
    places[k] = static_cast<uint32_t>(size);
    uint32_t some[4];
    std::memcpy(some, from_[k] + offsetof(WordIds, ids), sizeof(some));
    if (__builtin_expect(ends[k] - origin > some[kLimit], 0)) {
      const int64_t room = kMaxWordIds * (count - k) + static_cast<int64_t>(long_ids_.size());
      size_ = size;
      write_after({text + begins[k], text + ends[k]}, room);
      ids = ids_.data();
      size = size_;
      origin = ends[k] - table_.unigram->num_bytes(sum_);
      continue;
    }
    const uint32_t number = some[0] >> kIdBits;
    some[0] &= (1u << kIdBits) - 1;
    std::memcpy(ids + size, some, sizeof(some));
    if (__builtin_expect(number <= kMaxWordIds, 1)) {
      size += number;
    } else if (is_own(k)) {
      std::copy_n(long_ids_.data() + some[1], some[2], ids + size);
      size += some[2];
    }
  }
  size_ = size;
  origin_ = origin;
}

// Appends the ids of a word after those before it in its text. Keeps room for so many others.
void SubwordWords::write_after(StringView word, int64_t room) {
  for (; summed_ < size_; ++summed_) sum_ = table_.unigram->add(sum_, ids_[static_cast<size_t>(summed_)]);
  exact_ids_.clear();
  table_.unigram->encode_after(&sum_, word, scratch_, exact_ids_, nullptr);
  const auto num_ids = static_cast<int64_t>(exact_ids_.size());
  reserve(num_ids + room);
  std::copy(exact_ids_.begin(), exact_ids_.end(), ids_.data() + size_);
  summed_ = size_ += num_ids;
}

// Sets the keys and hashes of words, and prefetches their slots.
void SubwordWords::find_slots(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins,
                              const uint32_t* ends, int64_t count) {
  const uint8_t* const slots = table_.short_words.at;
  const uint64_t mask = slot_mask();
  const HashSeed seed = table_.header.seed;
  for (int64_t k = 0; k < count; ++k) {
    const uint8_t* const word = text + begins[k];
    const uint32_t n = ends[k] - begins[k];
    ShortKey& key = keys_[k];
    if (n <= kShortBytes && readable_end - word >= static_cast<std::ptrdiff_t>(sizeof(key))) {
      key = short_key_at(word, n);
    } else {
      key = n > kShortBytes ? ShortKey{} : short_key(word, n);
    }
    hashes_[k] = word_hash(key.low, key.high, seed);
    prefetch(slots + (hashes_[k] & mask) * sizeof(WordIds));
  }
}

// Sets where the ids of the words are that are in the first two slots of their search. Writes the others to `missed`,
// which has room for one more, and returns how many.
int64_t SubwordWords::compare_slots(int64_t count, uint16_t* missed) {
  const uint8_t* const slots = table_.short_words.at;
  const uint64_t mask = slot_mask();
  int64_t num_missed = 0;
  const auto differs = [&](const uint8_t* slot, const ShortKey& key) {
    ShortKey stored;
    std::memcpy(&stored, slot, sizeof(stored));
    return ((stored.low ^ key.low) | (stored.high ^ key.high)) != 0;
  };
  for (int64_t k = 0; k < count; ++k) {  // without branches
    const ShortKey key = keys_[k];
    const uint8_t* slot = slots + (hashes_[k] & mask) * sizeof(WordIds);
    slot += differs(slot, key) ? sizeof(WordIds) : 0;
    from_[k] = slot;
    missed[num_missed] = static_cast<uint16_t>(k);
    num_missed += differs(slot, key) | (key.high == 0);
  }
  return num_missed;
}

// Finds the ids of words that were not in the first two slots of their search.
__attribute__((noinline)) void SubwordWords::find_missed(const uint8_t* text, const uint32_t* begins,
                                                         const uint32_t* ends, const uint16_t* missed, int64_t count) {
  for (int64_t j = 0; j < count; ++j) {  // what decides about short ones
    prefetch(table_.short_words.at + ((hashes_[missed[j]] + 2) & slot_mask()) * sizeof(WordIds));
    prefetch(&line_of(missed[j]));
  }
  for (int64_t j = 0; j < count; ++j) {
    const int64_t k = missed[j];
    const ShortKey key = keys_[k];
    WordIds& own = own_[num_own_++];
    const bool ends_search = is_empty(from_[k]);  // the second slot of the search
    from_[k] = reinterpret_cast<const uint8_t*>(&own);
    const int64_t n = ends[k] - begins[k];
    if (key.high == 0) {
      const uint8_t* const word = text + begins[k];
      if (!find_long(word, n, own) && !find_kept(word, n, own)) encode_absent(word, n, own);
      continue;
    }
    own = ends_search ? WordIds{} : table_.find_short(key.low, key.high);
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
    } else {
      encode_absent(text + begins[k], n, own);
      remember(k, own);
    }
  }
}

void SubwordWords::remember(int64_t k, const WordIds& own) {
  if (own.ids[0] >> kIdBits == kManyIds) return;
  Line& line = line_of(k);
  line.ways[1] = line.ways[0];
  line.ways[0] = {keys_[k].low, keys_[k].high, {own.ids[0], own.ids[1], own.ids[2], own.ids[3]}};
}

// Whether the table has a word that has no key.
bool SubwordWords::find_long(const uint8_t* word, int64_t n, WordIds& own) const {
  if (table_.wordpiece && table_.wordpiece->is_too_long({word, word + n})) return false;
  own = table_.find_long(word, n);
  if (own.ids[0] >> kIdBits > kMaxWordIds) own.ids[0] = 0;  // a malformed table
  return own.ids[0] >> kIdBits != 0;
}

// A word that is not in the table.
void SubwordWords::encode_absent(const uint8_t* word, int64_t n, WordIds& own) {
  const size_t before = long_ids_.size();
  uint32_t limit = 0;  // if has_sums_
  if (table_.wordpiece) {
    table_.wordpiece->encode({word, word + n}, long_ids_, nullptr);
  } else if (has_sums_) {
    if (n <= kMaxLimited) limit = table_.unigram->encode_word({word, word + n}, scratch_, long_ids_);
    if (limit < n) long_ids_.resize(before);  // they are found when the sum is known
  } else if (table_.unigram) {
    table_.unigram->encode({word, word + n}, scratch_, long_ids_, nullptr);
  } else if (table_.concatenation) {
    table_.concatenation->encode({word, word + n}, long_ids_, nullptr);
  } else {
    long_ids_.resize(before + static_cast<size_t>(n));
    long_ids_.resize(before + static_cast<size_t>(merger_.merge(word, n, long_ids_.data() + before)));
  }
  if (n > kShortBytes) {
    const auto count = static_cast<int64_t>(long_ids_.size() - before);
    kept_.keep(word, n, long_ids_.data() + before, count, limit);
  }
  take_last(before, limit, own);
}

bool SubwordWords::find_kept(const uint8_t* word, int64_t n, WordIds& own) {
  const KeptWords::Word* const kept = kept_.find(word, n);
  if (!kept) return false;
  const size_t before = long_ids_.size();
  const uint32_t* const ids = kept_.ids(*kept);
  long_ids_.insert(long_ids_.end(), ids, ids + kept->num_ids);
  take_last(before, kept->limit, own);
  return true;
}

// Moves long_ids_ from `before` on to `own` if there is room, else sets it to their place.
void SubwordWords::take_last(size_t before, uint32_t limit, WordIds& own) {
  const size_t count = long_ids_.size() - before;
  if (has_sums_) own.ids[kLimit] = limit;
  if (count <= (has_sums_ ? kLimit : size_t{kMaxWordIds}) && (count > 0 || has_sums_)) {
    own.ids[0] = 0;
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
