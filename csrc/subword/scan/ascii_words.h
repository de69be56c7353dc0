// BERT's words of adjacent strings of ASCII, by masks: whitespace is between words, and each punctuation character is
// one. Its normalizer changes nothing else than the case of such strings if they have no control characters.
//
//   bytes        d o n ' t ␣ g o .
//   spaces       . . . . . 1 . . .
//   punctuation  . . . 1 . . . . 1
//   ends         . . 1 1 1 . . 1 1
#pragma once

#include <cstdint>
#include <vector>

#include "simd/primitives.h"

namespace stringops::kernels {

class SubwordAsciiWords {
 public:
  SubwordAsciiWords() : simd_(simd::primitives()) {}

  // Reads a text. Returns whether all of it is ASCII without control characters but tabs and newlines.
  bool read(const uint8_t* text, int64_t size);

  // Whether this holds for the bytes [begin, end) of the text that was read last.
  bool is_plain(int64_t begin, int64_t end) const;

  // Finds the words of the text that was read last, which is plain. Its strings begin at begins[0], ...,
  // begins[count - 1], counted from `origin`, and the last one ends with it. Appends the position of each word to
  // `word_begins` and `word_ends`, and the number of words before each string to `first_words`. The text begins at
  // position `base`.
  void find(const int32_t* begins, int64_t count, int32_t origin, uint32_t base, std::vector<uint32_t>& word_begins,
            std::vector<uint32_t>& word_ends, std::vector<uint32_t>& first_words);

 private:
  const simd::Primitives& simd_;
  int64_t size_ = 0;
  std::vector<uint64_t> separators_, starts_, others_;  // `starts_`: of strings, and around punctuation
  std::vector<uint64_t> kept_, ends_;
  std::vector<int32_t> kept_ends_, positions_, prefix_, counts_;
  std::vector<uint32_t> last_;
};

}  // namespace stringops::kernels
