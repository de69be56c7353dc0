// Encodes runs of adjacent strings of tokenizers whose steps are normalizers and splits: all words of a run are looked
// up together. Strings that normalization changes are written to a copy of the run, so that they take the same way as
// the others.
#pragma once

#include <cstdint>
#include <vector>

#include "subword/normalize/normalizer.h"
#include "subword/run/run.h"
#include "subword/run/word_ids.h"
#include "subword/scan/split_steps.h"
#include "subword/scan/valid_text.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordSplitRun final : public SubwordRun {
 public:
  // Whether the table's steps are normalizers, and then splits, of which the last one only leaves text out. If there
  // are added tokens that are found in normalized text, strings are in normal form already, which only forms of Unicode
  // tell of many together.
  static bool serves(const subword::Table& table);

  SubwordSplitRun(const subword::Table& table, int64_t num_bytes);

  bool normalizes() const override { return normalizes_; }
  bool cuts_at_spaces() const override { return keeps_parts_ && splits_.cut_at_spaces(); }
  void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) override;
  const uint32_t* ids() const override { return words_.ids(); }
  const std::vector<uint32_t>& first_ids() const override { return splits_.num_before(); }

 private:
  bool normalize(const uint8_t* text, const int32_t* begins, int64_t count);
  void encode_normal(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count);

  const bool normalizes_;
  const bool keeps_parts_;  // of a text that normalization does not change, the parts do not change either
  SubwordNormalizer normalizer_;
  std::vector<uint8_t> one_, normalized_;   // a string, and the run
  std::vector<int32_t> normalized_begins_;  // of strings
  subword::ValidText valid_;
  SplitSteps splits_;
  SubwordWords words_;
};

}  // namespace stringops::kernels
