// NFC as Hugging Face's tokenizers compute it: code points that are newer than its Unicode tables stay, and nothing
// moves or composes across them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/normal_form.h"
#include "core/string_span.h"

namespace stringops::kernels {

class SubwordNfc {
 public:
  // Sets `out` to the normalized text and returns true, or returns false if the text stays as it is. Sets map[k], if
  // `map` is not null, to the bytes that byte k of the result comes from, counted from `origin`.
  bool normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out, std::vector<PackedRange>* map);

 private:
  const uint8_t* end_of_segment(const uint8_t* p, const uint8_t* end);

  const NormalForm nfc_{NormalForm::Form::kNfc};
  std::vector<uint8_t> segment_;
};

}  // namespace stringops::kernels
