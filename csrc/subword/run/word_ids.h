// Ids of many words: their keys first, so that the slots of the table are in the cache when they are compared.
#pragma once

#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "subword/models/kept_words.h"
#include "subword/models/merge.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordWords {
 public:
  // `num_bytes` is about the size of the text that will come.
  SubwordWords(const subword::Table& table, int64_t num_bytes);

  // Encodes words: word k has the bytes from begins[k] to ends[k] of the text, which ends at readable_end or later.
  // Sets each of `first`, the number of words before a text, to the number of ids before it.
  void encode(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins, const uint32_t* ends,
              int64_t count, std::vector<uint32_t>& first);

  // Sets the begins of the texts of the next words, in order; each text has a word. Unigram::has_words needs this,
  // because the ids of a word may depend on those before it.
  void begin_texts(const std::vector<uint32_t>* begins) {
    texts_ = begins;
    next_text_ = 0;
  }

  // The ids so far.
  const uint32_t* ids() const { return ids_.data(); }

 private:
  using WordIds = subword::WordIds;

  static constexpr int64_t kBatch = 256;  // of words whose slots are compared right after they were prefetched

  // Words that were merged in this call. A word is in its line of two, and replaces another there, so that no text
  // makes searches long.
  struct Line {
    WordIds ways[2];
  };
  static constexpr int64_t kStepsOfBatch = 16 * kBatch;
  // Instead of the ids of a slot of own_: they are in long_ids_.
  static constexpr uint32_t kManyIds = 255;

  // Appends the ids of at most kBatch words, and sets places[k] to the number of ids before those of word k.
  void encode_batch(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins, const uint32_t* ends,
                    int64_t count, uint32_t* places);
  void find_slots(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins, const uint32_t* ends,
                  int64_t count);
  int64_t compare_slots(int64_t count, uint16_t* missed);
  uint64_t slot_mask() const { return (table_.short_words.size - 1) & ~uint64_t{1}; }
  void find_missed(const uint8_t* text, const uint32_t* begins, const uint32_t* ends, const uint16_t* missed,
                   int64_t count);
  bool find_long(const uint8_t* word, int64_t n, WordIds& own) const;
  bool find_kept(const uint8_t* word, int64_t n, WordIds& own);
  void encode_absent(const uint8_t* word, int64_t n, WordIds& own);
  void take_last(size_t before, uint32_t limit, WordIds& own);
  void remember(int64_t k, const WordIds& ids);
  Line& line_of(int64_t k) { return cache_[hashes_[k] >> 40 & cache_mask_]; }
  void reserve(int64_t num_ids);
  void write_ids(int64_t count, uint32_t* places);
  void write_summed_ids(const uint8_t* text, const uint32_t* begins, const uint32_t* ends, int64_t count,
                        uint32_t* places);
  void write_after(StringView word, int64_t room);
  bool is_own(int64_t k) const {
    const auto* const begin = reinterpret_cast<const uint8_t*>(own_);
    return from_[k] >= begin && from_[k] < begin + sizeof(own_);
  }

  const subword::Table& table_;
  subword::Merger merger_;
  Pace pace_;
  subword::UnigramScratch scratch_;
  std::vector<uint32_t> ids_, places_;
  int64_t size_ = 0;

  // These are used if ids depend on sums: the texts; the sum of the current one, up to some of the ids; and the byte
  // from which limits of words count.
  const bool has_sums_;
  const std::vector<uint32_t>* texts_ = nullptr;
  size_t next_text_ = 0;
  double sum_ = 0;
  int64_t summed_ = 0, origin_ = 0;
  std::vector<uint32_t> exact_ids_;
  std::vector<Line> cache_;
  uint64_t cache_mask_;
  subword::KeptWords kept_;  // those that have no key

  // The current batch: keys, whose `high` is 0 for a long word; the places of the ids of each word; and the words that
  // are not in the table.
  subword::ShortKey keys_[kBatch];
  uint64_t hashes_[kBatch];
  const uint8_t* from_[kBatch];  // WordIds of the table, or of own_
  WordIds own_[kBatch];
  int64_t num_own_ = 0;
  std::vector<uint32_t> long_ids_;
};

}  // namespace stringops::kernels
