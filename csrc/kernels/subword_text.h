// Encodes one text after the other, by every step of a tokenizer: added tokens, normalization, splits, words.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "kernels/subword_normalizer.h"
#include "subword/added.h"
#include "subword/bert_words.h"
#include "subword/merge.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordText {
 public:
  // Appends to `ids`, and to `spans` if it is not null.
  SubwordText(const subword::Table& table, std::vector<uint32_t>& ids, std::vector<PackedRange>* spans);

  void encode(StringView text);

  // Whether the text is encoded without regard to added tokens: none is in it. Unless it is split by BERT's rules,
  // which runs normalize themselves, normalization does not change it.
  bool is_plain(StringView text) {
    if (raw_.may_contain(text)) return false;
    if (table_.wordpiece) return normal_.none();
    return !normal_.may_contain(text) && normalizer_.keeps(text, normalized_);
  }

 private:
  // Where the bytes of a text come from: byte k comes from byte origin + k - inserted of the string, or, if the text is
  // normalized, from the bytes that `map` has there.
  struct Source {
    const uint8_t* text;
    int64_t origin;
    int64_t inserted;  // bytes at the beginning that come from nowhere
    const std::vector<PackedRange>* map;
  };

  void encode_normalized(StringView text, const Source& source);
  void run_steps(StringView piece, size_t step, const Source& source);
  void encode_word(StringView word, const Source& source);
  int64_t bytes_before(int64_t at) const;
  void encode_pieces(StringView word, const Source& source);
  void add_span(StringView piece, const Source& source);
  void add_token(StringView text, uint32_t id, const Source& source);

  const subword::Table& table_;
  std::vector<uint32_t>& ids_;
  std::vector<PackedRange>* const spans_;
  const subword::AddedTokens raw_, normal_;
  SubwordNormalizer normalizer_;
  StringView string_{};
  const subword::BertWords bert_words_;
  subword::Merger merger_;
  std::vector<uint8_t> normalized_;
  std::vector<PackedRange> normalized_map_;
  std::vector<const uint8_t*> piece_ends_;
  std::vector<std::vector<uint8_t>> prefixed_;  // for each step
};

}  // namespace stringops::kernels
