// Encodes one text after the other, by every step of a tokenizer: added tokens, normalization, splits, words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/poll.h"
#include "core/string_span.h"
#include "subword/models/merge.h"
#include "subword/normalize/normalizer.h"
#include "subword/scan/added.h"
#include "subword/scan/piece_writer.h"
#include "subword/scan/split_steps.h"
#include "subword/scan/valid_text.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordText {
 public:
  // Appends to `ids`, and to `spans` if it is not null.
  SubwordText(const subword::Table& table, std::vector<uint32_t>& ids, std::vector<PackedRange>* spans);

  void encode(StringView text);

  // Adds each word of the next texts to `words`, with its ids as a text that is one word; none of a word whose ids a
  // table cannot hold, or do not cover all of it.
  using IdsOfWords = std::unordered_map<std::string, std::vector<uint32_t>>;
  void keep_words(IdsOfWords* words) { words_ = words; }

  // Whether texts are plain if the text of all of them is. An added token that is found in normalized text may begin
  // with what the normalizer puts before each text.
  bool is_plain_together() const { return normal_.none() || keeps_tokens_; }

  // Whether the text is encoded without regard to added tokens: none is in it.
  bool is_plain(StringView text) {
    if (raw_.may_contain(text)) return false;
    if (normal_.none()) return true;
    if (keeps_tokens_) return !normal_.may_contain(text);
    const bool changed = normalizer_.normalize(text, text.begin, normalized_, nullptr);
    return !normal_.may_contain(changed ? StringView{normalized_.data(), normalized_.data() + normalized_.size()}
                                        : text);
  }

 private:
  // The source of the bytes of a text: byte k is byte k of the string, or comes from the bytes that `map` has there. If
  // maps are not kept, it is not used.
  struct Source {
    const uint8_t* text;
    const std::vector<PackedRange>* map;
  };
  // A text that a step has written, and its map.
  struct Written {
    std::vector<uint8_t> bytes;
    std::vector<PackedRange> map;
  };

  void encode_normalized(StringView text, const Source& source);
  void run_steps(StringView piece, size_t step, const Source& source);
  void write(StringView piece, size_t step, const Source& source);
  PackedRange source_of(const uint8_t* p, const Source& source) const;
  void encode_word(StringView word, const Source& source);
  void keep_words_of(StringView text);
  void keep_word(StringView word);
  int64_t bytes_before(int64_t at) const;
  void encode_pieces(StringView word, const Source& source);
  void encode_parts(StringView word, const Source& source);
  void add_span(StringView piece, const Source& source);
  void add_token(StringView text, uint32_t id, const Source& source);

  const subword::Table& table_;
  std::vector<uint32_t>& ids_;
  std::vector<PackedRange>* const spans_;
  bool keeps_maps_;
  const subword::AddedTokens raw_, normal_;
  SubwordNormalizer normalizer_;
  const bool keeps_tokens_;  // a text has the tokens that its normalized form has
  IdsOfWords* words_ = nullptr;
  StringView string_{};
  subword::Merger merger_;
  std::unordered_set<uint32_t> byte_tokens_;  // those of SentencePiece, of which the last of a character stands for it
  std::vector<uint8_t> normalized_;
  std::vector<PackedRange> normalized_map_;
  std::vector<const uint8_t*> piece_ends_;
  std::vector<Written> written_;                     // for each step
  std::vector<std::unique_ptr<SplitSteps>> splits_;  // by the first step
  subword::ValidText valid_;
  std::vector<StringView> parts_;
  subword::UnigramScratch scratch_;
  Pace pace_;
};

}  // namespace stringops::kernels
