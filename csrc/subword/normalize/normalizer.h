// The normalizer of a tokenizer: its steps, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/string_span.h"
#include "subword/normalize/normalizer_steps.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

class SubwordNormalizer {
 public:
  // `texts` are those of the steps.
  SubwordNormalizer(const std::vector<subword::Step>& steps, const std::vector<std::string>& texts,
                    const subword::NormalizerTables& tables);

  // Sets `out` to the normalized text and returns true, or returns false if the text stays as it is. Sets map[k], if
  // `map` is not null, to the bytes that byte k of the result comes from, counted from `origin`.
  bool normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out, std::vector<PackedRange>* map);

  // Whether normalization keeps the text. `scratch` is overwritten.
  bool keeps(StringView text, std::vector<uint8_t>& scratch);

  // The text in which an added token is found.
  std::string content_of(const subword::AddedToken& added);

  static bool is_normalizer(const subword::Step& step) { return makes_normalizer_step(step); }

 private:
  std::vector<std::unique_ptr<NormalizerStep>> steps_;
  std::vector<uint8_t> next_;
  std::vector<PackedRange> next_map_;
};

}  // namespace stringops::kernels
