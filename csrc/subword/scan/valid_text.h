// Texts in which masks and patterns search: a byte that is not part of a code point is U+0001, which is of no class
// that pre-tokenizers have.
#pragma once

#include <cstdint>
#include <vector>

namespace stringops::subword {

// Sets each byte that is not part of a code point to 1.
void replace_invalid(uint8_t* begin, const uint8_t* end);

class ValidText {
 public:
  // Adjacent strings: string k begins at text + begins[k], begins[0] is 0, begins[count] the size of the text. Returns
  // the text, or a copy, which is valid until the next call, if a string is not UTF-8.
  const uint8_t* of(const uint8_t* text, const int32_t* begins, int64_t count);

 private:
  std::vector<uint8_t> copy_;
};

}  // namespace stringops::subword
