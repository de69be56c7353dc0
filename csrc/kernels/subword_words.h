// Ids of many words: their keys first, so that the slots of the table are in the cache when they are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "subword/merge.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordWords {
 public:
  static constexpr int64_t kBatch = 512;

  // `num_bytes` is about the size of the text that will come.
  SubwordWords(const subword::Table& table, int64_t num_bytes);

  // Word k has the bytes from begins[k] to begins[k + 1] of the text, which ends at readable_end or later. Appends the
  // ids of `count` <= kBatch words, and sets places[k] to the number of ids before those of word k.
  void encode(const uint8_t* text, const uint8_t* readable_end, const uint32_t* begins, int64_t count,
              uint32_t* places);

  // The ids so far.
  const uint32_t* ids() const { return ids_.data(); }
  int64_t size() const { return size_; }
  void clear() { size_ = 0; }

 private:
  // Words that were merged in this call. A word is in its line of two, and replaces another there, so that no text
  // makes searches long.
  struct Line {
    subword::WordIds ways[2];
  };

  void reserve(int64_t num_ids);
  void encode_missed(const uint8_t* word, int64_t n, const subword::WordIds& key, uint64_t hash);
  void append(const uint32_t* ids, uint32_t count);

  const subword::Table& table_;
  subword::Merger merger_;
  std::vector<uint32_t> ids_;
  int64_t size_ = 0;
  std::vector<Line> cache_;
  uint64_t cache_mask_;
};

}  // namespace stringops::kernels
