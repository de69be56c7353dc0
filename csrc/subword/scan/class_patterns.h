// Splits of tokenizers as patterns (regex/pattern.h), with the reference's classes of code points.
#pragma once

#include <memory>
#include <string>

#include "regex/pattern.h"
#include "subword/spec/spec.h"

namespace stringops::subword {

// Runs of numbers, or each of them; the words of CLIP; runs of word characters, and of others without whitespace; the
// words of BERT: each punctuation character, and what is between these and whitespace.
std::string numbers_pattern(bool each);
std::string clip_pattern();
std::string words_pattern();
std::string bert_pattern();

// A character of punctuation; so many characters; a text, which is valid UTF-8.
std::string punctuation_pattern();
std::string characters_pattern(int count);
std::string text_pattern(const std::string& text);

// The pattern of what kWhitespace keeps.
std::shared_ptr<const Pattern> between_whitespace();

}  // namespace stringops::subword
