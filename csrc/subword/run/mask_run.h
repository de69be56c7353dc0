// Encodes runs of adjacent strings by masks: tokenizers whose texts are split in one step that masks serve. Strings
// that normalization changes are written to a copy of the run, so that they take the same way as the others.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simd/text.h"
#include "split/word_masks.h"
#include "subword/normalize/normalizer.h"
#include "subword/run/run.h"
#include "subword/run/words.h"
#include "subword/scan/valid_text.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordMaskRun final : public SubwordRun {
 public:
  // Whether the table's steps are normalizers, and then one split that masks serve. If there are added tokens that are
  // found in normalized text, strings are in normal form already, which only forms of Unicode tell of many together.
  static bool serves(const subword::Table& table);

  SubwordMaskRun(const subword::Table& table, int64_t num_bytes);

  bool normalizes() const override { return normalizes_; }
  bool cuts_at_spaces() const override { return keeps_parts_; }
  void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) override;
  const uint32_t* ids() const override { return words_.ids(); }
  const std::vector<uint32_t>& first_ids() const override { return first_ids_; }

 private:
  bool normalize(const uint8_t* text, const int32_t* begins, int64_t count);
  void encode_normal(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count);
  void flush(const uint8_t* text, const uint8_t* readable_end, int64_t closed, int64_t strings);

  const bool normalizes_;
  const bool keeps_parts_;  // of a text that normalization does not change, the parts do not change either
  SubwordNormalizer normalizer_;
  std::vector<uint8_t> one_, normalized_;   // a string, and the run
  std::vector<int32_t> normalized_begins_;  // of strings
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
