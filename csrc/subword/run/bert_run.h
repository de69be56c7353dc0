// Encodes runs of adjacent strings that are split by BERT's rules: all words of a run are looked up together.
#pragma once

#include <cstdint>
#include <vector>

#include "subword/normalize/normalizer.h"
#include "subword/run/run.h"
#include "subword/run/word_ids.h"
#include "subword/scan/ascii_words.h"
#include "subword/scan/bert_words.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordBertRun final : public SubwordRun {
 public:
  // Whether the steps are a normalizer and BERT's words, and a word that the table has is never too long for the model.
  static bool serves(const subword::Table& table);

  SubwordBertRun(const subword::Table& table, int64_t num_bytes);

  bool normalizes() const override { return true; }
  bool cuts_at_spaces() const override { return has_bert_normalizer_; }
  void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) override;
  const uint32_t* ids() const override { return words_.ids(); }
  const std::vector<uint32_t>& first_ids() const override { return first_ids_; }

 private:
  void find_words(const uint8_t* text, const int32_t* begins, int64_t count);
  void find_plain_words(const uint8_t* text, const int32_t* begins, int64_t count);
  void find_words_of_one(StringView string);

  SubwordNormalizer normalizer_;
  SubwordAsciiWords ascii_words_;
  bool has_bert_normalizer_ = false;  // and no other
  bool lowers_ = false;
  SubwordWords words_;
  std::vector<uint8_t> normalized_, one_;
  std::vector<uint32_t> begins_, ends_;  // of words, in the normalized text
  std::vector<uint32_t> first_ids_;
};

}  // namespace stringops::kernels
