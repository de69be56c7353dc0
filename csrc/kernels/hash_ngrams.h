// Iterates over the n-grams of a string: its runs of `size` code points or bytes. A shorter string, even an empty one,
// is its only n-gram. A byte that is not part of a code point counts as one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/poll.h"
#include "core/string_span.h"
#include "core/utf8.h"

namespace stringops::kernels {

struct NgramUnit {
  int64_t size;
  bool codepoints;
};

// Calls take(StringView) for each n-gram, in order. One that occurs several times is taken as often.
template <class Take>
void for_each_ngram(StringView text, NgramUnit unit, Take take) {
  StringView ngram{text.begin, text.begin};
  const auto next = [&](const uint8_t* p) {
    return p + (*p < 0x80 || !unit.codepoints ? 1 : std::max<int64_t>(long_codepoint(p, text.end), 1));
  };
  for (int64_t i = 0; i < unit.size && ngram.end < text.end; ++i) ngram.end = next(ngram.end);
  take(ngram);
  while (ngram.end < text.end) {
    for (const uint8_t* const stop = poll_stop(ngram.end, text.end); ngram.end < stop;) {
      ngram.end = next(ngram.end);
      ngram.begin = std::min(next(ngram.begin), ngram.end);  // the bytes may be changed meanwhile
      take(ngram);
    }
  }
}

}  // namespace stringops::kernels
