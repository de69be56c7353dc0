// Hugging Face's BertPreTokenizer: the words of a text. Whitespace is between words, and each punctuation character is
// one.
#pragma once

#include <array>
#include <cstdint>

#include "core/codepoint.h"
#include "core/lazy.h"
#include "core/string_span.h"
#include "subword/normalize/bert_tables.h"

namespace stringops::subword {

class BertWords {
 public:
  // Calls on_word(word) for each word of the text.
  template <class OnWord>
  static void for_each(StringView text, OnWord&& on_word) {
    const std::array<bool, 256>& ends = enders();
    const uint8_t* begin = text.begin;  // of the word so far
    for (const uint8_t* p = text.begin; p < text.end;) {
      if (!ends[*p]) {
        ++p;
        continue;
      }
      const Codepoint c = read_codepoint(p, text.end);
      const uint8_t flags = c.value == kInvalidByte ? 0 : bert::kFlags[c.value];
      const uint8_t* const next = p + c.length;
      if (ends_word(flags)) {
        if (begin < p) on_word(StringView{begin, p});
        if ((flags & bert::kPunctuation) != 0) on_word(StringView{p, next});
        begin = next;
      }
      p = next;
    }
    if (begin < text.end) on_word(StringView{begin, text.end});
  }

 private:
  static bool ends_word(uint8_t flags) { return (flags & (bert::kSpace | bert::kPunctuation)) != 0; }

  // Returns, by the first byte of a character, whether it may end a word. The table is made once, because a call may
  // have only a few bytes.
  static const std::array<bool, 256>& enders() {
    return lazy([] {
      std::array<bool, 256> ends{};
      for (uint32_t byte = 0; byte < ends.size(); ++byte) ends[byte] = byte >= 0x80 || ends_word(bert::kFlags[byte]);
      return ends;
    });
  }
};

}  // namespace stringops::subword
