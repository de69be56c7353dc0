// The published patterns of pre-tokenizers, whose pieces words, numbers, signs and whitespace are: GPT-2's, those of
// Llama-3, Qwen2 and cl100k, those of o200k and Tekken, in which capitals begin a word, and those of DeepSeek-V3:
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regex/class_table.h"
#include "regex/match_rule.h"
#include "regex/syntax.h"

namespace stringops {

struct WordRule {
  // Classes of code points, and where they begin a piece. Without `has_cases` and `has_gaps`, only the first four are
  // used. With `has_cases`, kOther are letters without case, which can belong to the capitals before and after them.
  enum Class : uint8_t { kLetter, kUpper = kLetter, kNumber, kSpace, kRest, kLower, kOther, kMark, kNumClasses = 8 };
  // With `has_gaps`, kRest are signs, kGap all that is in no other class, and the last three are those in kCjk ranges.
  enum ClassWithGaps : uint8_t { kGap = kLower, kCjkLetter, kCjkSign, kCjkGap };
  enum Contractions : uint8_t { kNone, kLowerCase, kAnyCase, kSuffixes };

  Contractions contractions = kNone;  // pieces; or kSuffixes, of any case, which belong to the word before them
  uint8_t digits = 0;                 // the most numbers in a piece; 0: any
  bool only_blanks_lead = false;      // U+0020 leads words, numbers and signs, as in GPT-2's pattern
  bool has_marks = false;             // combining marks are letters
  bool has_cases = false;             // a capital after small letters begins a word
  bool newline_tail = false;          // newlines after signs belong to their piece
  bool slash_tail = false;            // so do slashes, after a newline
  bool joins_last = false;            // whitespace at the end of a text is one piece, even if it has newlines
  bool has_vertical_tab = false;      // U+000B is whitespace
  // The patterns of DeepSeek-V3: numbers, and runs in CJK ranges, are cut first. A sign leads letters only if all are
  // ASCII, and any character that no match begins with leads those after it.
  bool has_gaps = false;
  // Returns the table of the classes, which is made when it is first used: most texts are ASCII and do not need it.
  const ClassTable& (*table)() = nullptr;
};

// Returns the rule, without the table, of patterns that are put together from alternatives of the published ones,
// however these are spelled: one pattern, or the three of DeepSeek-V3, each of which divides the pieces of the one
// before.
std::optional<WordRule> published_rule(const std::vector<Syntax>& patterns);

// The rule of a pattern of the regex engine's classes, if all of a text belongs to a match.
std::optional<WordRule> word_rule(const Syntax& syntax, MatchRule rule);

}  // namespace stringops
