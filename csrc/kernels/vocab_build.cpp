#include "kernels/vocab_build.h"

#include <algorithm>

#include "core/crowding.h"
#include "core/narrow.h"
#include "kernels/word_batch.h"

namespace stringops::kernels {
namespace {

constexpr int kSeeds = 16;

// One attempt, with one seed.
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

  VocabBuild run() {
    const VocabTable view{header_, slots_, text_};
    WordBatch batch(words_, 0, header_.seed);
    for (int64_t first = 0; first < words_.size(); first += WordBatch::kSize) {
      const int64_t n = std::min(WordBatch::kSize, words_.size() - first);
      batch.next(n, slots_, header_.capacity);
      for (int64_t j = 0; j < n; ++j) {
        const uint64_t home = batch.home(j);
        if (const auto same = view.find(batch.key(j), home, batch.bytes(j), batch.size(j))) {
          return {VocabBuild::kDuplicate, *same, first + j};
        }
        const auto status = insert(view, batch.key(j), home, batch.bytes(j), batch.size(j), first + j);
        if (status != VocabBuild::kDone) return {status, 0, 0};
      }
      if (is_crowded(steps_, first + n)) return {VocabBuild::kCrowded, 0, 0};
    }
    // A word that shrank meanwhile leaves a gap.
    return {text_used_ == header_.text_bytes ? VocabBuild::kDone : VocabBuild::kChanged, 0, 0};
  }

 private:
  void put(uint64_t i, const WordSlot& slot) { std::memcpy(slots_ + i * sizeof(slot), &slot, sizeof(slot)); }

  VocabBuild::Status insert(const VocabTable& view, WordKey key, uint64_t home, const uint8_t* word, int64_t n,
                            int64_t id) {
    uint64_t i = home;
    while (view.slot(i).high != kEmptyMark) {
      if (++i == home + kMaxProbes) return VocabBuild::kCrowded;
      ++steps_;
    }
    if (key.is_long()) {
      const auto length = narrow<uint32_t>(n);
      if (sizeof(length) + length > header_.text_bytes - text_used_) return VocabBuild::kChanged;
      key.low = (key.low >> 32 << 32) | text_used_;
      std::memcpy(text_ + text_used_, &length, sizeof(length));
      std::memcpy(text_ + text_used_ + sizeof(length), word, length);
      text_used_ += sizeof(length) + length;
    }
    put(i, {key.low, key.high, narrow<int32_t>(id)});
    return VocabBuild::kDone;
  }

  StringSpan words_;
  VocabHeader header_;
  uint8_t* slots_;
  uint8_t* text_;
  uint64_t text_used_ = 0;
  int64_t steps_ = 0;
};

}  // namespace

int64_t measure_vocab(const StringSpan& words) {
  int64_t text_bytes = 0;
  for (int64_t i = 0; i < words.size(); ++i) {
    const int64_t n = words.range(0, i).size();
    if (n > kInlineBytes) text_bytes += n + static_cast<int64_t>(sizeof(uint32_t));
  }
  return text_bytes;
}

VocabBuild write_vocab(const StringSpan& words, int64_t text_bytes, uint8_t* table) {
  // The seed comes from all of the words, which tile one interval, so that equal vocabularies have equal tables.
  // Whoever means to can still find words that collide under the very seed that they make, as XXH3 is no cryptographic
  // hash; where words lie as chance would not put them, further seeds are therefore random.
  const int64_t begin = words.size() ? words.range(0, 0).begin : 0;
  const int64_t end = words.size() ? std::max(begin, words.range(0, words.cols - 1).end) : 0;
  const uint64_t seed = seeded_hash(words.data + begin, end - begin, static_cast<uint64_t>(words.size()));
  VocabBuild result = Builder(words, text_bytes, table, expand_seed(seed)).run();
  for (int attempt = 1; attempt < kSeeds && result.status == VocabBuild::kCrowded; ++attempt) {
    result = Builder(words, text_bytes, table, random_seed()).run();
  }
  return result;
}

}  // namespace stringops::kernels
