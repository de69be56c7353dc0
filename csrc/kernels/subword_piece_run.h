// Encodes runs of adjacent strings by models of SentencePiece of which no piece has U+2581 but at its beginning:
// nothing merges across that character, so words that begin with it are looked up together, and those that repeat once.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/subword_normalizer.h"
#include "kernels/subword_run.h"
#include "kernels/subword_words.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordPieceRun final : public SubwordRun {
 public:
  static bool serves(const subword::Table& table);

  SubwordPieceRun(const subword::Table& table, int64_t num_bytes);

  bool normalizes() const override { return true; }
  void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) override;
  const uint32_t* ids() const override { return words_.ids(); }
  const std::vector<uint32_t>& first_ids() const override { return first_ids_; }

 private:
  void add_words(StringView text);

  SubwordNormalizer normalizer_;
  SubwordWords words_;
  std::vector<uint8_t> normalized_, written_;
  std::vector<uint32_t> begins_;  // of words, in the written text; then its size
  std::vector<uint32_t> places_;
  std::vector<uint32_t> first_ids_;
};

}  // namespace stringops::kernels
