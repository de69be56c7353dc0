#include "kernels/vocab_build.h"

#include <algorithm>

#include "core/string_cursor.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kBatch = 64;
constexpr int kSeeds = 16;

// One attempt, with one seed.
class Builder {
 public:
  Builder(const StringSpan& words, int64_t text_bytes, uint8_t* table, const HashSeed& seed)
      : words_(words), slots_(table + sizeof(VocabHeader)) {
    header_ = {VocabHeader::kMagic, static_cast<uint64_t>(words.size()),
               static_cast<uint64_t>(vocab_capacity(words.size())), static_cast<uint64_t>(text_bytes), seed, {}};
    const int64_t num_slots = static_cast<int64_t>(header_.capacity) + kMaxProbes;
    text_ = slots_ + num_slots * static_cast<int64_t>(sizeof(WordSlot));
    std::memcpy(table, &header_, sizeof(header_));
    const WordSlot empty{0, kEmptyMark, -1};
    for (int64_t i = 0; i < num_slots; ++i) put(i, empty);
  }

  VocabBuild run() {
    const VocabTable view{header_, slots_, text_};
    const uint8_t* const data_end = words_.data + words_.num_bytes;
    if (words_.size() == 0) return {VocabBuild::kDone, 0, 0};
    StringCursor cursor(words_, 0);
    ByteRange ranges[kBatch];
    WordKey keys[kBatch];
    uint64_t homes[kBatch];
    for (int64_t first = 0; first < words_.size(); first += kBatch) {
      const int64_t n = std::min(kBatch, words_.size() - first);
      for (int64_t j = 0; j < n; ++j) {
        ranges[j] = cursor.next();
        keys[j] = make_key(words_.data + ranges[j].begin, ranges[j].size(), data_end, header_.seed);
        homes[j] = view.home(keys[j]);
        view.prefetch(homes[j]);
      }
      for (int64_t j = 0; j < n; ++j) {
        const uint8_t* const word = words_.data + ranges[j].begin;
        if (const auto same = view.find(keys[j], homes[j], word, ranges[j].size())) {
          return {VocabBuild::kDuplicate, *same, first + j};
        }
        const auto status = insert(view, keys[j], homes[j], word, ranges[j].size(), first + j);
        if (status != VocabBuild::kDone) return {status, 0, 0};
      }
    }
    // A word that shrank meanwhile leaves a gap, which no slot points to; it must still be written.
    const auto gap = header_.text_bytes - text_used_;
    std::memset(text_ + text_used_, 0, gap);
    return {gap == 0 ? VocabBuild::kDone : VocabBuild::kChanged, 0, 0};
  }

 private:
  void put(uint64_t i, const WordSlot& slot) { std::memcpy(slots_ + i * sizeof(slot), &slot, sizeof(slot)); }

  VocabBuild::Status insert(const VocabTable& view, WordKey key, uint64_t home, const uint8_t* word, int64_t n,
                            int64_t id) {
    uint64_t i = home;
    while (view.slot(i).high != kEmptyMark) {
      if (++i == home + kMaxProbes) return VocabBuild::kCrowded;
    }
    if (key.is_long()) {
      const auto length = static_cast<uint32_t>(n);
      if (sizeof(length) + length > header_.text_bytes - text_used_) return VocabBuild::kChanged;
      key.low = (key.low >> 32 << 32) | text_used_;
      std::memcpy(text_ + text_used_, &length, sizeof(length));
      std::memcpy(text_ + text_used_ + sizeof(length), word, length);
      text_used_ += sizeof(length) + length;
    }
    put(i, {key.low, key.high, static_cast<int32_t>(id)});
    return VocabBuild::kDone;
  }

  StringSpan words_;
  VocabHeader header_;
  uint8_t* slots_;
  uint8_t* text_;
  uint64_t text_used_ = 0;
};

}  // namespace

int64_t measure_vocab(const StringSpan& words) {
  int64_t text_bytes = 0;
  if (words.size() == 0) return 0;
  StringCursor cursor(words, 0);
  for (int64_t i = 0; i < words.size(); ++i) {
    const int64_t n = cursor.next().size();
    if (n > kInlineBytes) text_bytes += n + static_cast<int64_t>(sizeof(uint32_t));
  }
  return text_bytes;
}

VocabBuild write_vocab(const StringSpan& words, int64_t text_bytes, uint8_t* table) {
  // The seed comes from all of the content, so equal vocabularies have equal tables, and whoever changes a word to make
  // it collide changes every hash. At half load the longest run of 10^8 slots is about 100; more than kMaxProbes is a
  // reason to try another seed, not an expected event.
  uint64_t seed = seeded_hash(words.data, words.num_bytes, static_cast<uint64_t>(words.size()));
  VocabBuild result{};
  for (int attempt = 0; attempt < kSeeds; ++attempt) {
    result = Builder(words, text_bytes, table, expand_seed(seed + static_cast<uint64_t>(attempt))).run();
    if (result.status != VocabBuild::kCrowded) break;
  }
  return result;
}

}  // namespace stringops::kernels
