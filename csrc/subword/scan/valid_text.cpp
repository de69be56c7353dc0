#include "subword/scan/valid_text.h"

#include "core/codepoint.h"
#include "simd/primitives.h"

namespace stringops::subword {

void replace_invalid(uint8_t* begin, const uint8_t* end) {
  for (uint8_t* p = begin; p < end;) {
    const Codepoint c = read_codepoint(p, end);
    if (c.value == kInvalidByte) *p = 1;
    p += c.length;
  }
}

const uint8_t* ValidText::of(const uint8_t* text, const int32_t* begins, int64_t count) {
  const int64_t size = begins[count];
  if (is_ascii(text, size)) return text;
  bool valid = simd::primitives().is_utf8(text, size);
  for (int64_t k = 1; k < count && valid; ++k) valid = begins[k] == size || !is_continuation(text[begins[k]]);
  if (valid) return text;
  copy_.assign(text, text + size);
  for (int64_t k = 0; k < count; ++k) replace_invalid(copy_.data() + begins[k], copy_.data() + begins[k + 1]);
  return copy_.data();
}

}  // namespace stringops::subword
