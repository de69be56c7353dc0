// Encodes runs of adjacent strings by Unigram, of words that begin with a space: all words of a run are looked up
// together.
#pragma once

#include <cstdint>
#include <vector>

#include "simd/primitives.h"
#include "subword/normalize/normalizer.h"
#include "subword/run/run.h"
#include "subword/run/word_ids.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordSpacedRun final : public SubwordRun {
 public:
  // Whether a table has Unigram after Metaspace, which writes spaces and begins words with them, and no added tokens
  // that are found in normalized text.
  static bool serves(const subword::Table& table);

  SubwordSpacedRun(const subword::Table& table, int64_t num_bytes);

  bool normalizes() const override { return true; }
  void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) override;
  const uint32_t* ids() const override { return words_.ids(); }
  const std::vector<uint32_t>& first_ids() const override { return first_ids_; }

 private:
  void find_words(const uint8_t* text, const int32_t* begins, int64_t count);
  void write_plain(StringView text);
  void make_room(size_t num_words);
  void find_plain_words(size_t begin);
  void find_spaced_words(size_t begin);
  void write_words(StringView text);
  void write(StringView piece);

  const bool splits_whitespace_;  // before Metaspace
  const std::string escaped_;     // what spaces are written for
  SubwordNormalizer normalizer_;
  const simd::Primitives& simd_;
  const subword::UnigramCuts& cuts_;
  SubwordWords words_;
  std::vector<uint8_t> normalized_, written_;
  std::vector<uint32_t> begins_, ends_;  // of words, in the written text, and room for others
  size_t num_words_ = 0;
  std::vector<uint32_t> first_ids_;
};

}  // namespace stringops::kernels
