// The steps of a normalizer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/fail.h"
#include "core/string_span.h"
#include "subword/normalize/normalizer_tables.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

// Texts that steps write are limited as strings are.
inline void check_text_size(size_t num_bytes) {
  STRINGOPS_CHECK(num_bytes <= static_cast<size_t>(kMaxOffsets), "subword_encode: a normalized text has more than ",
                  kMaxOffsets, " bytes (split the text)");
}

class NormalizerStep {
 public:
  virtual ~NormalizerStep() = default;

  // Sets `out` to the normalized text and returns true, or returns false if the text stays as it is. Sets map[k], if
  // `map` is not null, to the bytes of the text that byte k of the result comes from, which are one or more.
  virtual bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) = 0;
};

// Whether the step is one of a normalizer.
bool is_normalizer_step(const subword::Step& step);

// Appends what the step does, which may be several.
using NormalizerSteps = std::vector<std::unique_ptr<NormalizerStep>>;
void add_normalizer_steps(const subword::Step& step, const std::vector<std::string>& texts,
                          const subword::NormalizerTables& tables, NormalizerSteps& steps);

}  // namespace stringops::kernels
