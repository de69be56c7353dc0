// Hugging Face's BertNormalizer: a text without control characters, with a space on each side of Chinese characters,
// without accents, in lower case. Each of these steps is optional.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/codepoint.h"
#include "core/string_span.h"
#include "subword/normalize/bert_tables.h"
#include "subword/normalize/decomposition.h"

namespace stringops::subword {

// The steps, in this order.
struct BertSteps {
  bool clean;          // control characters are dropped, whitespace becomes spaces
  bool split_chinese;  // with spaces
  bool strip_accents;  // NFD, without nonspacing marks
  bool lower;
};

// A byte that is not part of a code point is kept.
class BertNormalizer {
 public:
  explicit BertNormalizer(const BertSteps& steps);

  // Sets `out` to the normalized text, and map[k], if `map` is not null, to the bytes of the text that byte k of it
  // comes from, counted from `origin`. A space that is added comes from its character.
  void normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out, std::vector<PackedRange>* map);

 private:
  struct Output;

  // An ASCII character, normalized.
  struct Ascii {
    uint8_t to;
    bool is_kept;
  };

  const uint8_t* add_ascii(const uint8_t* p, const uint8_t* end, const uint8_t* origin, Output& out);
  void add_codepoint(uint32_t codepoint, PackedRange source, Output& out);
  void add_decomposed(uint32_t codepoint, PackedRange source, Output& out);
  void add_marks(Output& out);
  void add_unaccented(uint32_t codepoint, PackedRange source, Output& out) const;
  void add_cased(uint32_t codepoint, PackedRange source, Output& out) const;

  const BertSteps steps_;
  std::array<Ascii, 0x80> ascii_;
  Decomposition decomposition_{normalization::kCanonical};
};

}  // namespace stringops::subword
