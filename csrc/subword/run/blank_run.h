// Encodes runs of adjacent strings of models that write spaces as a character: words begin at spaces, and the table has
// spaces for that character (build/spaces.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simd/primitives.h"
#include "subword/normalize/normalizer.h"
#include "subword/run/run.h"
#include "subword/run/word_ids.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordBlankRun final : public SubwordRun {
 public:
  // Whether the steps are a normalizer, perhaps a split at whitespace, and then those that cut texts at spaces, unless
  // it is a model of which words are independent of each other.
  static bool serves(const subword::Table& table);

  SubwordBlankRun(const subword::Table& table, int64_t num_bytes);

  bool normalizes() const override { return true; }
  void encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) override;
  const uint32_t* ids() const override { return words_.ids(); }
  const std::vector<uint32_t>& first_ids() const override { return first_ids_; }

 private:
  void write(StringView string, bool has_blank_texts);
  void write_words(StringView string);
  void write_piece(StringView piece, bool replaces);
  void find_words();

  SubwordNormalizer normalizer_;
  const simd::Primitives& simd_;
  const subword::UnigramCuts& cuts_;
  const bool has_limits_;  // of words, as Unigram::has_words
  SubwordWords words_;
  bool is_simple_ = true;           // the normalizer inserts spaces and replaces blank_text_ by them, no more
  int64_t num_prepended_ = 0;       // spaces, of a simple one
  bool splits_whitespace_ = false;  // before a metaspace
  bool has_metaspace_ = false;
  bool prepends_ = false;   // a space, if there is none, by a metaspace
  bool at_each_ = false;    // words begin at each space, not at the first of a run
  std::string blank_text_;  // what is replaced by spaces
  std::vector<uint8_t> written_, one_;
  std::vector<uint32_t> starts_;  // of strings, in written_
  size_t longest_ = 0;            // bytes of a string in it
  std::vector<uint32_t> begins_;  // of words, in written_; then its size
  std::vector<uint32_t> first_ids_;
};

}  // namespace stringops::kernels
