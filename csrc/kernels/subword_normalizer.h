// The normalizer of a tokenizer, if it has one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/string_span.h"
#include "kernels/subword_nfc.h"
#include "subword/bert_normalizer.h"
#include "subword/spec.h"

namespace stringops::kernels {

class SubwordNormalizer {
 public:
  explicit SubwordNormalizer(const std::vector<subword::Step>& steps);

  // Sets `out` to the normalized text and returns true, or returns false if the text stays as it is. Sets map[k], if
  // `map` is not null, to the bytes that byte k of the result comes from, counted from `origin`.
  bool normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out, std::vector<PackedRange>* map);

  // Whether NFC keeps the text. `scratch` is overwritten.
  bool keeps(StringView text, std::vector<uint8_t>& scratch) { return !nfc_ || nfc_->keeps(text, scratch); }

  // The text in which an added token is found.
  std::string content_of(const subword::AddedToken& added);

  static bool is_normalizer(const subword::Step& step) {
    return step.kind == subword::Step::kNfc || step.kind == subword::Step::kBert;
  }

 private:
  std::optional<SubwordNfc> nfc_;
  std::optional<subword::BertNormalizer> bert_;
};

}  // namespace stringops::kernels
