#include "subword/scan/class_patterns.h"

#include <cstdio>

#include "core/lazy.h"
#include "subword/normalize/bert_tables.h"
#include "subword/scan/classes.h"

namespace stringops::subword {
namespace {

void append(uint32_t c, std::string& text) {
  char escaped[16];
  std::snprintf(escaped, sizeof(escaped), "\\x{%x}", c);
  text += escaped;
}

// The inside of a class of the code points for which `is_in` is true.
template <class IsIn>
std::string members(uint32_t limit, const IsIn& is_in) {
  std::string text;
  for (uint32_t c = 0; c < limit; ++c) {
    if (!is_in(c)) continue;
    append(c, text);
    const uint32_t first = c;
    while (c + 1 < limit && is_in(c + 1)) ++c;
    if (c > first) append(c, text += '-');
  }
  return text;
}

std::string members_of(int classes) {
  return members(kClasses.limit, [&](uint32_t c) { return (kClasses[c] & classes) != 0; });
}

std::string members_of_bert(int flags) {
  return members(bert::kFlags.limit, [&](uint32_t c) { return (bert::kFlags[c] & flags) != 0; });
}

}  // namespace

std::string numbers_pattern(bool each) {
  return "[" + members_of(kNumeric) + (each ? "]" : "]+");
}

std::string clip_pattern() {
  const std::string letters = members_of(kLetter), numbers = members_of(kNumber);
  return "'s|'t|'re|'ve|'m|'ll|'d|[" + letters + "]+|[" + numbers + "]|[^" + members_of(kSpace) + letters + numbers +
         "]+";
}

std::string words_pattern() {
  const std::string words = members_of(kWord);
  return "[" + words + "]+|[^" + words + members_of(kSpace) + "]+";
}

std::string punctuation_pattern() {
  return "[" + members_of_bert(bert::kPunctuation) + "]";
}

std::string bert_pattern() {
  return "[^" + members_of_bert(bert::kSpace | bert::kPunctuation) + "]+|" + punctuation_pattern();
}

std::string characters_pattern(int count) {
  return "(?s:.){1," + std::to_string(count) + "}";
}

std::string text_pattern(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if ((c & 0x80) != 0) {
      pattern += c;
    } else {
      append(static_cast<uint8_t>(c), pattern);
    }
  }
  return pattern;
}

std::shared_ptr<const Pattern> between_whitespace() {
  return lazy([] { return Pattern::compile("[^" + members_of(kSpace) + "]+", MatchRule::kFirst); });
}

}  // namespace stringops::subword
