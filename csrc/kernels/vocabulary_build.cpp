#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/strings.h"
#include "driver/key_batch.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {
namespace {

constexpr int kSeeds = 16;

struct Built {
  enum Status { kDone, kDuplicate, kChanged, kFlooded } status;
  int64_t first;  // kDuplicate: the positions of two equal words
  int64_t second;
};

using Capacities = std::array<uint32_t, kWordClasses>;

// An attempt to build the table with one seed.
class Builder {
 public:
  Builder(const StringSpan& words, const Capacities& capacities, int64_t text_bytes, uint8_t* table,
          const HashSeed& seed)
      : words_(words), layout_(capacities), table_(table) {
    header_ = {VocabHeader::kMagic,
               static_cast<uint64_t>(words.size()),
               static_cast<uint64_t>(text_bytes),
               seed,
               capacities,
               0};
    std::memset(table, 0, static_cast<size_t>(layout_.text));
    std::memcpy(table, &header_, sizeof(header_));
    for (size_t c = 0; c < kWordClasses; ++c) {
      for (int64_t i = 0; i < capacities[c]; ++i) put_end(slot(c, static_cast<uint64_t>(i)), c, kEmptyLength, -1);
      first_bucket_[c + 1] = first_bucket_[c] + vocab_buckets(capacities[c]);
    }
  }

  Built run() {
    hash();
    sort_by_bucket();
    if (const Built twice = find_duplicate(); twice.status != Built::kDone) return twice;
    for (size_t c = 0; c < kWordClasses; ++c) {
      if (!choose_pilots(c)) return {Built::kFlooded, 0, 0};
    }
    return {write() ? Built::kDone : Built::kChanged, 0, 0};
  }

 private:
  // The length in an empty slot, which no word of its class has; WordSlot::high is kEmptyMark then.
  static constexpr uint8_t kEmptyLength = kEmptyMark >> 24;
  static constexpr int64_t kMaxBucket = 32;  // words; chance makes no bucket larger
  static constexpr int64_t kStepsOfBucket = 256;

  struct Hashed {
    uint32_t bucket;  // of all classes
    uint32_t second;
  };

  uint8_t* slot(size_t c, uint64_t i) { return table_ + layout_.slots[c] + i * static_cast<uint64_t>(kSlotBytes[c]); }
  static void put_end(uint8_t* slot, size_t c, uint8_t length, int32_t id) {
    uint8_t* const end = slot + kSlotBytes[c];
    end[-5] = length;
    std::memcpy(end - sizeof(id), &id, sizeof(id));
  }

  size_t class_of_bucket(uint32_t bucket) const {
    size_t c = 0;
    while (bucket >= first_bucket_[c + 1]) ++c;
    return c;
  }
  int64_t num_buckets() const { return first_bucket_[kWordClasses]; }

  void hash() {
    hashed_.resize(static_cast<size_t>(words_.size()));
    StringBatch batch(words_, 0, header_.seed);
    for (int64_t first = 0; first < words_.size(); first += WordBatch::kSize) {
      const int64_t n = std::min(WordBatch::kSize, words_.size() - first);
      batch.next(n, kAllHomes);
      for (int64_t j = 0; j < n; ++j) {
        const size_t c = class_of_word(batch.size(j));
        const auto buckets = static_cast<uint64_t>(vocab_buckets(header_.capacities[c]));
        const auto bucket = first_bucket_[c] + scale_hash(batch.home(j), buckets);
        hashed_[static_cast<size_t>(first + j)] = {static_cast<uint32_t>(bucket), batch.second(j)};
      }
    }
  }

  // Sets begins_ to the begin of each bucket in order_ and seconds_, which have the words by bucket.
  void sort_by_bucket() {
    begins_.assign(static_cast<size_t>(num_buckets()) + 1, 0);
    for (const Hashed& word : hashed_) ++begins_[word.bucket + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
    order_.resize(hashed_.size());
    seconds_.resize(hashed_.size());
    for (size_t i = 0; i < hashed_.size(); ++i) {
      const uint32_t at = next[hashed_[i].bucket]++;
      order_[at] = static_cast<uint32_t>(i);
      seconds_[at] = hashed_[i].second;
    }
  }

  // The first word that equals one before it. Words of a bucket with the same second hash that are not equal need
  // another seed.
  Built find_duplicate() {
    Built found{Built::kDone, 0, words_.size()};
    for (size_t b = 0; b + 1 < begins_.size(); ++b) {
      if (!may_have_duplicate(begins_[b], begins_[b + 1])) continue;
      const auto begin = order_.begin() + begins_[b], end = order_.begin() + begins_[b + 1];
      std::sort(begin, end, [&](uint32_t i, uint32_t j) {
        return std::make_pair(hashed_[i].second, i) < std::make_pair(hashed_[j].second, j);
      });
      for (auto at = begin; at < end; ++at) {
        if (at + 1 == end || hashed_[at[0]].second != hashed_[at[1]].second) continue;
        if (words_[at[0]] != words_[at[1]]) {
          if (found.status == Built::kDone) found.status = Built::kFlooded;
        } else if (found.status != Built::kDuplicate || at[1] < found.second) {
          found = {Built::kDuplicate, at[0], at[1]};
        }
      }
    }
    return found;
  }

  // Whether two of these words have the same second hash, or there are too many for a bucket.
  bool may_have_duplicate(uint32_t begin, uint32_t end) const {
    if (end - begin > kMaxBucket) return true;
    bool equal = false;
    for (uint32_t i = begin; i < end; ++i) {
      for (uint32_t j = i + 1; j < end; ++j) equal |= seconds_[i] == seconds_[j];
    }
    return equal;
  }

  // Chooses, for the buckets of a class, the largest first, the first pilot that gives all of their words free slots.
  bool choose_pilots(size_t c) {
    const auto size_of = [&](int64_t b) {
      return int64_t{begins_[static_cast<size_t>(b) + 1]} - begins_[static_cast<size_t>(b)];
    };
    std::array<std::vector<uint32_t>, kMaxBucket + 1> by_size;
    for (int64_t b = first_bucket_[c]; b < first_bucket_[c + 1]; ++b) {
      if (size_of(b) > kMaxBucket) return false;
      if (size_of(b) > 0) by_size[static_cast<size_t>(size_of(b))].push_back(static_cast<uint32_t>(b));
    }
    std::vector<uint64_t> taken(static_cast<size_t>(words_for(header_.capacities[c])));
    for (size_t size = kMaxBucket; size > 0; --size) {
      for (const uint32_t b : by_size[size]) {
        if (!choose_pilot(c, b, size, taken.data())) return false;
      }
    }
    return true;
  }

  bool choose_pilot(size_t c, uint32_t bucket, size_t size, uint64_t* taken) {
    const uint32_t* const seconds = seconds_.data() + begins_[bucket];
    std::array<uint32_t, kMaxBucket> slots;
    pace_.spend(kStepsOfBucket);
    for (int pilot = 0; pilot <= UINT8_MAX; ++pilot) {
      size_t placed = 0;
      for (; placed < size; ++placed) {
        const uint32_t at = piloted_slot(seconds[placed], static_cast<uint8_t>(pilot), header_.capacities[c]);
        if (test_bit(taken, at)) break;
        set_bit(taken, at);
        slots[placed] = at;
      }
      if (placed == size) {
        table_[layout_.pilots[c] + bucket - first_bucket_[c]] = static_cast<uint8_t>(pilot);
        return true;
      }
      while (placed > 0) clear_bit(taken, slots[--placed]);
    }
    return false;
  }

  // Returns false if a word has changed: its length is of another class, or the long words need more or fewer bytes.
  bool write() {
    uint64_t text_used = 0;
    for (int64_t i = 0; i < words_.size(); ++i) {
      const Hashed& hashed = hashed_[static_cast<size_t>(i)];
      const size_t c = class_of_bucket(hashed.bucket);
      const ByteRange range = words_.range(i);
      if (class_of_word(range.size()) != c) return false;
      const uint8_t pilot = table_[layout_.pilots[c] + hashed.bucket - first_bucket_[c]];
      uint8_t* const to = slot(c, piloted_slot(hashed.second, pilot, header_.capacities[c]));
      const auto id = narrow<int32_t>(i);
      const uint8_t* const word = words_.data + range.begin;
      if (c == kTextClass) {
        if (!append_text(word, range.size(), id, to, &text_used)) return false;
        continue;
      }
      copy_bytes(to, word, range.size());
      put_end(to, c, static_cast<uint8_t>(range.size()), id);
    }
    return text_used == header_.text_bytes;
  }

  bool append_text(const uint8_t* word, int64_t n, int32_t id, uint8_t* to, uint64_t* used) {
    const auto length = static_cast<uint32_t>(n);
    if (sizeof(length) + length > header_.text_bytes - *used) return false;
    uint8_t* const text = table_ + layout_.text + *used;
    std::memcpy(text, &length, sizeof(length));
    std::memcpy(text + sizeof(length), word, length);
    const WordKey key = make_long_key(text + sizeof(length), n, header_.seed);  // of the copy, which does not change
    const WordSlot slot{(key.low >> 32 << 32) | *used, key.high, id};
    std::memcpy(to, &slot, sizeof(slot));
    *used += sizeof(length) + length;
    return true;
  }

  StringSpan words_;
  VocabHeader header_;
  const VocabLayout layout_;
  uint8_t* const table_;
  std::array<int64_t, kWordClasses + 1> first_bucket_{};
  std::vector<Hashed> hashed_;
  std::vector<uint32_t> begins_, order_, seconds_;
  Pace pace_;
};

struct Measures {
  Capacities capacities;
  int64_t text_bytes = 0;

  int64_t table_bytes() const { return VocabLayout(capacities).text + text_bytes; }
};

Measures measure(const StringSpan& words) {
  Measures sum;
  std::array<int64_t, kWordClasses> counts{};
  for_each_string(words, 0, words.size(), [&](int64_t, ByteRange word) {
    const size_t c = class_of_word(word.size());
    ++counts[c];
    if (c == kTextClass) sum.text_bytes += word.size() + static_cast<int64_t>(sizeof(uint32_t));
  });
  for (size_t c = 0; c < kWordClasses; ++c) sum.capacities[c] = vocab_capacity(counts[c]);
  return sum;
}

// Returns how many distinct strings fit into this number of bytes: one of 0 bytes, 256 of one, 256**2 of two ...
int64_t max_distinct(int64_t num_bytes) {
  int64_t count = 1, of_size = 256;
  for (int64_t size = 1;; ++size, of_size *= 256) {
    if (num_bytes < size * of_size) return count + num_bytes / size;
    num_bytes -= size * of_size;
    count += of_size;
  }
}

}  // namespace

void check_distinct(const char* op, const StringSpan& words) {
  constexpr int64_t kMany = int64_t{1} << 20;
  if (words.size() <= kMany) return;
  const int64_t num_bytes = int64_t{words.offsets[words.size()]} - words.offsets[0];
  STRINGOPS_CHECK(num_bytes < 0 || words.size() <= max_distinct(num_bytes), op, ": expected distinct strings, got ",
                  words.size(), " in ", num_bytes, " bytes, which hold at most ", max_distinct(num_bytes),
                  " (make them distinct with string_unique)");
}

int64_t measure_vocab_table(const StringSpan& words) {
  return measure(words).table_bytes();
}

void write_vocab_table(const char* op, const StringSpan& words, uint8_t* table, int64_t num_bytes) {
  const Measures sizes = measure(words);
  check_unchanged(op, sizes.table_bytes() == num_bytes);
  // The seed is a hash of all words, which are adjacent, so that equal vocabularies have equal tables. As XXH3 is not a
  // cryptographic hash, an attacker can still find words that collide under their own seed. If hash flooding is
  // detected, further seeds are therefore random.
  const int64_t begin = words.size() ? words.range(0).begin : 0;
  const int64_t end = words.size() ? std::max(begin, words.range(words.size() - 1).end) : 0;
  const uint64_t seed = seeded_hash(words.data + begin, end - begin, static_cast<uint64_t>(words.size()));
  Built built = Builder(words, sizes.capacities, sizes.text_bytes, table, expand_seed(seed)).run();
  for (int attempt = 1; attempt < kSeeds && built.status == Built::kFlooded; ++attempt) {
    built = Builder(words, sizes.capacities, sizes.text_bytes, table, random_seed()).run();
  }
  STRINGOPS_CHECK(built.status != Built::kDuplicate, op, ": expected distinct strings, got equal ones at positions ",
                  built.first, " and ", built.second);
  STRINGOPS_CHECK(built.status != Built::kFlooded, op, ": the hashes of ", words.size(),
                  " strings collide under every seed tried");
  check_unchanged(op, built.status == Built::kDone);
}

}  // namespace stringops::kernels
