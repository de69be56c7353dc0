// Encodes runs of adjacent strings by masks: tokenizers whose texts are split in one step that masks serve.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simd/text.h"
#include "split/word_masks.h"
#include "subword/run/run.h"
#include "subword/run/words.h"
#include "subword/scan/valid_text.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordMaskRun final : public SubwordRun {
 public:
  // Whether the table's steps are one split that masks serve, and at most NFC before it.
  static bool serves(const subword::Table& table);

  SubwordMaskRun(const subword::Table& table, int64_t num_bytes);

  bool cuts_at_spaces() const override { return true; }
  void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) override;
  const uint32_t* ids() const override { return words_.ids(); }
  const std::vector<uint32_t>& first_ids() const override { return first_ids_; }

 private:
  void flush(const uint8_t* text, const uint8_t* readable_end, int64_t closed, int64_t strings);

  const simd::TextPrimitives& simd_;
  WordMasks masks_;
  subword::ValidText valid_;
  SubwordWords words_;
  static constexpr size_t kMaxWords = SubwordWords::kBatch + 64 + 2;
  std::array<uint32_t, kMaxWords> begins_;  // of words; the last one may go on
  int64_t num_words_ = 0;
  std::array<uint32_t, kMaxWords> places_;
  std::vector<uint32_t> first_ids_;  // of strings before `placed_`: ids; of later ones: words
  int64_t placed_ = 0;
};

}  // namespace stringops::kernels
