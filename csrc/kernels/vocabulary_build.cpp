#include <algorithm>

#include "core/fail.h"
#include "core/hash_flooding.h"
#include "core/narrow.h"
#include "core/rows.h"
#include "kernels/driver/word_batch.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {
namespace {

constexpr int kSeeds = 16;

struct Built {
  enum Status { kDone, kDuplicate, kChanged, kFlooded } status;
  int64_t first;  // kDuplicate: the positions of two equal words
  int64_t second;
};

// An attempt to build the table with one seed.
class Builder {
 public:
  Builder(const StringSpan& words, int64_t text_bytes, uint8_t* table, const HashSeed& seed)
      : words_(words), slots_(table + sizeof(VocabHeader)) {
    header_ = {VocabHeader::kMagic,
               static_cast<uint64_t>(words.size()),
               static_cast<uint64_t>(vocab_capacity(words.size())),
               static_cast<uint64_t>(text_bytes),
               seed,
               {}};
    const int64_t num_slots = static_cast<int64_t>(header_.capacity) + kMaxProbes;
    text_ = slots_ + num_slots * static_cast<int64_t>(sizeof(WordSlot));
    std::memcpy(table, &header_, sizeof(header_));
    const WordSlot empty{0, kEmptyMark, -1};
    for (int64_t i = 0; i < num_slots; ++i) put(i, empty);
  }

  Built run() {
    const VocabTable view{header_, slots_, text_};
    WordBatch batch(words_, 0, header_.seed);
    for (int64_t first = 0; first < words_.size(); first += WordBatch::kSize) {
      const int64_t n = std::min(WordBatch::kSize, words_.size() - first);
      batch.next(n, slots_, header_.capacity);
      for (int64_t j = 0; j < n; ++j) {
        const uint64_t home = batch.home(j);
        if (const auto same = view.find(batch.key(j), home, batch.bytes(j), batch.size(j))) {
          return {Built::kDuplicate, *same, first + j};
        }
        const auto status = insert(view, batch.key(j), home, batch.bytes(j), batch.size(j), first + j);
        if (status != Built::kDone) return {status, 0, 0};
      }
      if (is_flooded(steps_, first + n)) return {Built::kFlooded, 0, 0};
    }
    // A word that shrank meanwhile (race) leaves a gap.
    return {text_used_ == header_.text_bytes ? Built::kDone : Built::kChanged, 0, 0};
  }

 private:
  void put(uint64_t i, const WordSlot& slot) { std::memcpy(slots_ + i * sizeof(slot), &slot, sizeof(slot)); }

  Built::Status insert(const VocabTable& view, WordKey key, uint64_t home, const uint8_t* word, int64_t n, int64_t id) {
    uint64_t i = home;
    while (view.slot(i).high != kEmptyMark) {
      if (++i == home + kMaxProbes) return Built::kFlooded;
      ++steps_;
    }
    if (key.is_long()) {
      const auto length = narrow<uint32_t>(n);
      if (sizeof(length) + length > header_.text_bytes - text_used_) return Built::kChanged;
      key.low = (key.low >> 32 << 32) | text_used_;
      std::memcpy(text_ + text_used_, &length, sizeof(length));
      std::memcpy(text_ + text_used_ + sizeof(length), word, length);
      text_used_ += sizeof(length) + length;
    }
    put(i, {key.low, key.high, narrow<int32_t>(id)});
    return Built::kDone;
  }

  StringSpan words_;
  VocabHeader header_;
  uint8_t* slots_;
  uint8_t* text_;
  uint64_t text_used_ = 0;
  int64_t steps_ = 0;
};

int64_t text_bytes_of(const StringSpan& words) {
  int64_t text_bytes = 0;
  for_each_string(words, 0, words.size(), [&](int64_t, ByteRange word) {
    if (word.size() > kInlineBytes) text_bytes += word.size() + static_cast<int64_t>(sizeof(uint32_t));
  });
  return text_bytes;
}

// How many distinct strings fit into this number of bytes: one of 0 bytes, 256 of one, 256**2 of two ...
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
  return vocab_table_bytes(vocab_capacity(words.size()), text_bytes_of(words));
}

void write_vocab_table(const char* op, const StringSpan& words, uint8_t* table, int64_t num_bytes) {
  const int64_t text_bytes = num_bytes - vocab_table_bytes(vocab_capacity(words.size()), 0);
  // The seed is a hash of all words, which are adjacent, so that equal vocabularies have equal tables. As XXH3 is not a
  // cryptographic hash, an attacker can still find words that collide under their own seed. If hash flooding is
  // detected, further seeds are therefore random.
  const int64_t begin = words.size() ? words.range(0, 0).begin : 0;
  const int64_t end = words.size() ? std::max(begin, words.range(0, words.cols - 1).end) : 0;
  const uint64_t seed = seeded_hash(words.data + begin, end - begin, static_cast<uint64_t>(words.size()));
  Built built = Builder(words, text_bytes, table, expand_seed(seed)).run();
  for (int attempt = 1; attempt < kSeeds && built.status == Built::kFlooded; ++attempt) {
    built = Builder(words, text_bytes, table, random_seed()).run();
  }
  STRINGOPS_CHECK(built.status != Built::kDuplicate, op, ": expected distinct strings, got equal ones at positions ",
                  built.first, " and ", built.second);
  STRINGOPS_CHECK(built.status != Built::kFlooded, op, ": the hashes of ", words.size(),
                  " strings collide under every seed tried");
  check_unchanged(op, built.status == Built::kDone);
}

}  // namespace stringops::kernels
