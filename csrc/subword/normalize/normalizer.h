// The normalizer of a tokenizer: its steps, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/normal_form.h"
#include "core/string_span.h"
#include "subword/normalize/normalizer_steps.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

class SubwordNormalizer {
 public:
  // `texts` are those of the steps.
  SubwordNormalizer(const std::vector<subword::Step>& steps, const std::vector<std::string>& texts,
                    const subword::NormalizerTables& tables);

  bool is_empty() const { return steps_.empty(); }

  // Sets `out` to the normalized text and returns true, or returns false if the text stays as it is. Sets map[k], if
  // `map` is not null, to the bytes that byte k of the result comes from, counted from `origin`.
  bool normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out, std::vector<PackedRange>* map);

  // The text in which an added token is found.
  std::string content_of(const subword::AddedToken& added);

  static bool is_normalizer(const subword::Step& step) { return is_normalizer_step(step); }

 private:
  // Whether NFKC is known to keep the text. The tables of NormalForm are newer than those of the steps, which keep
  // what these keep: decompositions of code points never change, and code points that older tables do not know stay.
  bool is_nfkc(StringView text) const { return nfkc_ && (nfkc_->keeps(text) || !nfkc_->may_change(text)); }

  NormalizerSteps steps_;
  std::optional<NormalForm> nfkc_;  // if the steps are NFKD and NFC, of which the second undoes much of the first
  std::vector<uint8_t> next_;
  std::vector<PackedRange> next_map_;
};

}  // namespace stringops::kernels
