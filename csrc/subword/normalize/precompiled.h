// The normalizer "Precompiled" of Hugging Face: each grapheme cluster below six bytes that has a rule of a charsmap, or
// begins with one, is replaced as a whole; of all others, each character.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "subword/normalize/charsmap.h"

namespace stringops::kernels {

class SubwordPrecompiled {
 public:
  explicit SubwordPrecompiled(const subword::Charsmap& charsmap);

  // Sets `out` to the normalized text and returns true, or returns false if the text stays as it is. Sets map[k], if
  // `map` is not null, to the bytes of the text that byte k of the result comes from.
  bool normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map) const;

 private:
  const uint8_t* next_cluster(const uint8_t* p, const uint8_t* end) const;

  const subword::Charsmap charsmap_;
  std::array<bool, 256> may_change_;  // by the first byte: not of ASCII characters that stay as they are
};

}  // namespace stringops::kernels
