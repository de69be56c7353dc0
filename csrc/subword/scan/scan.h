// Pre-tokenizers: the regular expressions that tokenizers split text by, as rules that read each character once or a
// few times, without backtracking.
#pragma once

#include <cstdint>

#include "subword/spec/spec.h"

namespace stringops::subword {

// Finds the end of the piece that begins at p < end: after p, and at most `end`. Everything belongs to a piece.
//
//   kGpt2        's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   kLlama3      (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+
//                |\s+(?!\S)|\s+
//                `marks`: [\p{L}\p{M}] for \p{L}, except in the class before it
//   kO200k       words of upper case letters and then lower case ones, with contractions; else as kLlama3, and with
//                [\r\n/]* after signs
//   kDigits      runs of numbers, or each of them
//   kDigitRuns   \p{N}{1,digits}
//   kCjk         [一-龥぀-ゟ゠-ヿ]+
//   kBlankWords  runs of U+0020, and what stands before the next one
//   kFixedLength  `least` characters
//   kDeepseek    the third expression of DeepSeek-V3; characters that it does not match are pieces, runs of them joined
const uint8_t* next_piece(const Step& step, const uint8_t* p, const uint8_t* end);

// Finds the end of the word that begins at p < end, which is not whitespace; that belongs to no piece.
//
//   kClip        's|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+
//   kWhitespace  \S+
//   kWords       \w+|[^\w\s]+
const uint8_t* end_of_word(const Step& step, const uint8_t* p, const uint8_t* end);

}  // namespace stringops::subword
